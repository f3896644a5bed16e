// Ends by: time
throw new Proxy(new Error("x"), { get() { for (;;) {} }, getPrototypeOf() { for (;;) {} } });
