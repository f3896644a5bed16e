// Ends by: time memory
const endless = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) };
return Math.max(...endless);
