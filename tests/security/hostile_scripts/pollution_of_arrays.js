// Ends by: thrown
Array.prototype.map = () => [];
return 1;
