// Ends by: not_json
return new (class Secret { value = 1; })();
