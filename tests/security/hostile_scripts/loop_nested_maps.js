// Ends by: time memory
const list = Array(3000).fill(1);
return list.map(() => list.map(() => list.map((each) => each)));
