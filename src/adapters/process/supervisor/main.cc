// The supervisor as a program of its own, which is part of Baton and never a file: without
// libraries to load it starts several times faster than Baton would. A process that runs under its
// name does not come here (adapters/process/supervisor.h).

int main() { return 1; }
