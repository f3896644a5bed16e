// Ends by: time
const tag = () => { for (;;) {} };
return tag`text`;
