// Ends by: memory
const list = [];
for (let i = 0; ; ++i) list.push(() => i);
