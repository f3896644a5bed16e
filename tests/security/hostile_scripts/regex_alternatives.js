// Ends by: time
return /^(a|aa)+$/.test("a".repeat(60) + "!");
