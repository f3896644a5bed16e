// Ends by: time
return /(?<=!(a+)+)c/.test("a".repeat(40) + "c");
