// Ends by: syntax
} }), (function () { return 1;
