// Ends by: memory stack time thrown
const list = [];
try {
  for (;;) list.push(new Array(1000).fill(list.length));
} catch (error) {
}
const down = () => down() + 1;
return down();
