// Ends by: time memory size
let list = ["lol"];
for (let i = 0; i < 40; ++i) list = [list, list];
return list;
