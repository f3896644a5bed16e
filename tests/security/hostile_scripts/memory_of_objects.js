// Ends by: memory
let list = null;
for (;;) list = { list, a: 1, b: 2 };
