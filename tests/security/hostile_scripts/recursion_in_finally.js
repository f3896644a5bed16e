// Ends by: stack time
const again = () => {
  try {
    again();
  } finally {
    again();
  }
};
return again();
