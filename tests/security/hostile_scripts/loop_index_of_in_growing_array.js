// Ends by: time memory
const list = [1];
for (const each of list) list.push(each);
return list;
