// Ends by: time memory
return [...(function* () {
  while (true) yield 1;
})()];
