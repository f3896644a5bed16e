// Ends by: thrown
return (function* () {}).constructor("yield globalThis")().next();
