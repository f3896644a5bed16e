// Ends by: time
return `${{ [Symbol.toPrimitive]() { for (;;) {} } }}`;
