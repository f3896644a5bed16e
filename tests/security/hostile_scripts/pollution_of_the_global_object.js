// Ends by: thrown
globalThis.polluted = 1;
return 1;
