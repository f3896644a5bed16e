// Ends by: time
return 1 instanceof { [Symbol.hasInstance]() { for (;;) {} } };
