// Ends by: stack thrown memory
return JSON.parse("[".repeat(1000000));
