// Ends by: not_json
let list = 1;
for (let i = 0; i < 65; ++i) list = [list];
return list;
