// Ends by: not_json
return "\ud800";
