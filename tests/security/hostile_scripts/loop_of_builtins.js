// Ends by: time
for (;;) "x".repeat(1000000).toUpperCase();
