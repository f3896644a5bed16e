// Ends by: time thrown memory stack value
return new RegExp("((a{1,500}){1,500}){1,500}b").test("a".repeat(3000));
