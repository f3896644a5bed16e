// Ends by: syntax
} { return 1;
