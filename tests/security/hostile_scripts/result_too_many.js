// Ends by: size memory
return new Array(3000000).fill(0);
