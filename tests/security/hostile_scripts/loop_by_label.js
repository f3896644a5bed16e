// Ends by: time
again: for (;;) continue again;
