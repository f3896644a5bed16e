// Ends by: time
return (async () => { for (;;) {} })();
