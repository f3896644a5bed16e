// Ends by: time
return "aaa".replace(/a/g, () => { for (;;) {} });
