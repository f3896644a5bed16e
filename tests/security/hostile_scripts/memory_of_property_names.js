// Ends by: memory time
const object = {};
for (let i = 0; ; ++i) object["property" + i] = i;
