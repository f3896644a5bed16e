// Ends by: time memory
return new Proxy([], { get: (target, key) => key === "length" ? Infinity : 1 });
