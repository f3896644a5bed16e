// Ends by: stack
const self = { get me() { return self.me + 1; } };
return self.me;
