// Ends by: thrown
({}).__proto__.polluted = 1;
return 1;
