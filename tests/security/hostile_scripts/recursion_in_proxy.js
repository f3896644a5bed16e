// Ends by: stack
const self = new Proxy({}, { get: (target, key, receiver) => receiver[key] });
return self.anything;
