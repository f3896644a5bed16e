// Ends by: time
return /^(.*)*x$/.test("y".repeat(60));
