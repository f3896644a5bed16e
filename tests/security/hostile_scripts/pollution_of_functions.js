// Ends by: thrown
Function.prototype.call = () => 4;
return 1;
