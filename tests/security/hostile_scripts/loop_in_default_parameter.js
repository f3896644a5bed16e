// Ends by: time
return ((value = (() => { for (;;) {} })()) => value)();
