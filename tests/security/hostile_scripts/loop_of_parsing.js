// Ends by: time
const text = "[" + "1,".repeat(100000) + "1]";
for (;;) JSON.parse(text);
