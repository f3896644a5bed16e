// Ends by: thrown
throw null;
