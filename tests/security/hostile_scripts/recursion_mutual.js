// Ends by: stack
const even = (n) => odd(n + 1) + 1;
const odd = (n) => even(n + 1) + 1;
return even(0);
