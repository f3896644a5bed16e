// Ends by: memory time
for (;;) Promise.resolve().then(() => 1);
