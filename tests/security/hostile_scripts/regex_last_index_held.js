// Ends by: time
const pattern = /a?/g;
for (;;) {
  pattern.lastIndex = 0;
  pattern.exec("aaa");
}
