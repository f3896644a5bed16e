// Ends by: thrown
Date.now = () => 4;
return 1;
