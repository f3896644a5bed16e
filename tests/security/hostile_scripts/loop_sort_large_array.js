// Ends by: time
const list = Array.from({ length: 400000 }, (_, at) => -at);
for (;;) list.sort((a, b) => a - b);
