// Ends by: stack thrown memory not_json
let list = [];
for (let i = 0; i < 300000; ++i) list = [list];
return JSON.stringify(list);
