// Ends by: stack
const down = () => down() + 1;
return down();
