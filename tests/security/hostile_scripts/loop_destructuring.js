// Ends by: time memory
const [...rest] = (function* () { for (;;) yield 0; })();
return rest;
