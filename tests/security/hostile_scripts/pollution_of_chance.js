// Ends by: thrown
Math.random = () => 4;
return 1;
