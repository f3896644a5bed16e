// Ends by: thrown
return (() => 1).constructor("return globalThis")();
