// Ends by: time
return /^(a+)+$/.test("a".repeat(40) + "!");
