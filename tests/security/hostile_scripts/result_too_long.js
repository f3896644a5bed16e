// Ends by: size
return "x".repeat(5000000);
