// Ends by: time
while (true) {}
