// Ends by: stack thrown time memory
let bound = () => 1;
for (let i = 0; i < 200000; ++i) bound = bound.bind(null);
return bound();
