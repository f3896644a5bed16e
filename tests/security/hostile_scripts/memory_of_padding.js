// Ends by: memory thrown
return "x".padEnd(1073741823).length;
