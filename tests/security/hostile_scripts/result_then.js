// Ends by: not_json
return { then(resolve) { resolve(1); } };
