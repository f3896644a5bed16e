// Ends by: thrown
return eval("1");
