// Ends by: thrown
Error.prepareStackTrace = (error, frames) => frames;
return new Error().stack[0].getFunction();
