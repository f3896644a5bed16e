// Ends by: time
return "" + { toString() { for (;;) {} } };
