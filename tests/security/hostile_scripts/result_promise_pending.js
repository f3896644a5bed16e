// Ends by: not_json
return new Promise(() => {});
