// Ends by: time
return /^(x+)\1+\1+\1+y/.test("x".repeat(20000));
