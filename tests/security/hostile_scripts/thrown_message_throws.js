// Ends by: thrown
const error = new Error("x");
Object.defineProperty(error, "message", { get() { throw error; } });
throw error;
