// Ends by: thrown
JSON.stringify = () => "4";
return 1;
