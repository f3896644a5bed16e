// Ends by: memory thrown
const list = [];
for (;;) list.push(new Float64Array(10000));
