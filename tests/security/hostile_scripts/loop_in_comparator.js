// Ends by: time
return [3, 1, 2].sort(() => { for (;;) {} });
