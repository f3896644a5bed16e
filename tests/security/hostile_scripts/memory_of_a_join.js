// Ends by: memory thrown time
return Array(4294967295).join("xxxx").length;
