// Ends by: time thrown memory
return (7n ** 300000n).toString().length;
