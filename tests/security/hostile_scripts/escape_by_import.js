// Ends by: not_json
return import("fs");
