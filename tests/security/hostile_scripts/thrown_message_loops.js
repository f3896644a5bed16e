// Ends by: time
const error = new Error("x");
Object.defineProperty(error, "message", { get() { for (;;) {} } });
throw error;
