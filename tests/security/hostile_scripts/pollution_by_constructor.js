// Ends by: thrown
[].constructor.prototype.polluted = 1;
return 1;
