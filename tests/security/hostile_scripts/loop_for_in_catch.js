// Ends by: time
while (true) {
  try {
    for (;;) {}
  } catch (error) {
  }
}
