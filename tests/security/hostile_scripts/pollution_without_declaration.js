// Ends by: thrown
polluted = 1;
return 1;
