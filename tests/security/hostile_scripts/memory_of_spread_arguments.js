// Ends by: memory stack thrown
return Math.max(...new Array(5000000).fill(1));
