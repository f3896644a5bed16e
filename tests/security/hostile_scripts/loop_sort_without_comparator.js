// Ends by: time
const list = Array.from({ length: 200000 }, (_, at) => "k" + at);
for (;;) list.sort();
