// Ends by: thrown
return Function("return globalThis")();
