// Ends by: time
return ("a".repeat(40) + "!").split(/(a+)+$/);
