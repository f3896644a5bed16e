// Ends by: thrown
throw new Error("x".repeat(100000));
