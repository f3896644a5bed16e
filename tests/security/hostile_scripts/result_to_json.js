// Ends by: not_json
return { toJSON() { for (;;) {} } };
