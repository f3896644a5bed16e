// Ends by: time
return [...("a".repeat(40) + "!").matchAll(/(a+)+$/g)].length;
