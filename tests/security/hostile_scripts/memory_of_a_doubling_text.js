// Ends by: memory thrown
let text = "x";
for (;;) text += text;
