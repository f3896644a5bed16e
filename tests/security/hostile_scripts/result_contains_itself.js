// Ends by: not_json
const list = [];
list.push({ list });
return list;
