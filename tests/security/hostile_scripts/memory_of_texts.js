// Ends by: memory
const list = [];
for (;;) list.push("x".repeat(1000000) + list.length);
