// Ends by: stack
const self = { toString() { return "" + self + 1; } };
return "" + self;
