// Ends by: memory thrown time
let text = "aaaaaaaaaa";
for (;;) text = text.replaceAll("a", "aaaaaaaaaa");
