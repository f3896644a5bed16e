// Ends by: time
return JSON.parse("[1]", () => { for (;;) {} });
