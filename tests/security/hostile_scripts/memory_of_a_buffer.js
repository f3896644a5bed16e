// Ends by: memory thrown
return new ArrayBuffer(1000000000).byteLength;
