// Ends by: memory thrown time
return new Array(1000000000).fill(0).length;
