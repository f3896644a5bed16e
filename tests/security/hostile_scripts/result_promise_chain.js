// Ends by: not_json
const spin = () => Promise.resolve().then(spin);
return spin();
