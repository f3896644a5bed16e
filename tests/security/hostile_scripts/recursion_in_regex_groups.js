// Ends by: stack thrown memory
return new RegExp("(".repeat(50000) + ")".repeat(50000)).test("");
