// Ends by: stack time
const again = () => {
  try {
    again();
  } catch (error) {
    again();
  }
};
return again();
