// Ends by: time
class Trap {
  static {
    for (;;) {}
  }
}
return Trap.name;
