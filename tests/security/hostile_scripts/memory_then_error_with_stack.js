// Ends by: memory stack time thrown
const list = [];
const down = (n) => {
  if (n > 0) return down(n - 1);
  for (;;) list.push(new Array(100).fill(0));
};
try {
  down(1000);
} catch (error) {
  for (;;) list.push(new Error("again").stack);
}
