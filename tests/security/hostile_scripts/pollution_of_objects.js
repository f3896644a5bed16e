// Ends by: thrown
Object.prototype.polluted = 1;
return 1;
