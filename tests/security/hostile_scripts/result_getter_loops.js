// Ends by: time
return { get value() { for (;;) {} } };
