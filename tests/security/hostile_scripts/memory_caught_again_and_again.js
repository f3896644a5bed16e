// Ends by: memory time
let list = [];
for (;;) {
  try {
    for (;;) list.push(new Array(1000).fill(list.length));
  } catch (error) {
    list = [];
  }
}
