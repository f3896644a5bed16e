// Ends by: time
return new Proxy({}, { ownKeys() { for (;;) {} } });
