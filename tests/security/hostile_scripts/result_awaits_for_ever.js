// Ends by: not_json
return (async () => { await new Promise(() => {}); })();
