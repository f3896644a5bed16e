// Ends by: time memory
for (;;) new Array(1000000).fill(1);
