// Ends by: memory thrown time
return String(1n << 1000000000n).length;
