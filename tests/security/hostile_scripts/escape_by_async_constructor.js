// Ends by: thrown
return (async () => 1).constructor("return globalThis")();
