// Ends by: not_json thrown value
let asked = 0;
return new Proxy({ a: 1 }, { get: () => ++asked === 1 ? 1 : () => 2 });
