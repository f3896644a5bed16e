// Ends by: time
class List extends Array {
  static get [Symbol.species]() {
    for (;;) {}
  }
}
return new List(1, 2).map((each) => each);
