// Ends by: memory thrown time
return String(2n ** 100000000n).length;
