// Ends by: value
return Reflect.setPrototypeOf(Object.prototype, { polluted: 1 });
