// Ends by: time
try {
  throw 1;
} finally {
  for (;;) {}
}
