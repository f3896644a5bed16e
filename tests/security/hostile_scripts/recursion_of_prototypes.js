// Ends by: stack thrown time memory value
let each = {};
for (let i = 0; i < 200000; ++i) each = Object.create(each);
return each.missing === undefined;
