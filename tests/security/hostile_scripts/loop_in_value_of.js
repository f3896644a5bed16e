// Ends by: time
return +{ valueOf() { for (;;) {} } };
