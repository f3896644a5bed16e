// Ends by: thrown
Promise.prototype.then = () => 4;
return 1;
