// The composition root: the only file that names concrete adapters.

#include "cli/app.h"
#include "cli/parts.h"

int main(int argc, char** argv) {
  const baton::cli::Parts parts;
  return baton::cli::run(baton::cli::world_of_process(argc, argv), parts);
}
