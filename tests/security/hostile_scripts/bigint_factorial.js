// Ends by: time memory thrown
let product = 1n;
for (let i = 1n; ; ++i) product *= i;
