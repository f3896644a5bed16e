// Ends by: memory
const map = new Map();
for (let i = 0; ; ++i) map.set("key" + i, i);
