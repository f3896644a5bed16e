// Ends by: stack thrown time memory
let list = [];
for (let i = 0; i < 500000; ++i) list = [list];
return list.flat(Infinity);
