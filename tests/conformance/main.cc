// fixture_server FILE [--http]: serves the fixtures over standard input and output, or HTTP. FILE
// is the store for tasks, with its keys beside it, as `baton serve` keeps them.

#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "adapters/crypto/crypto_signer.h"
#include "adapters/files/workflow_files.h"
#include "adapters/os/system.h"
#include "adapters/process/host_processes.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "conformance/server.h"

namespace baton::conformance {
namespace {

Result<transport::ServeEnd> serve(const std::string& store_path, bool over_http) {
  adapters::OsEntropy entropy;
  adapters::SystemClock clock;
  const adapters::KeyFile keys(store_path + ".keys");
  TRY(keys.create_if_missing(entropy));
  const auto signer = TRY(adapters::CryptoSigner::open(keys));
  const auto store = TRY(adapters::SqliteStore::open(store_path));
  adapters::WorkflowFiles workflows({}, {});
  adapters::HostProcesses processes;
  engine::IdSource ids(clock, entropy);
  engine::Caches caches;
  engine::CheckedStore checked(*store, caches);
  engine::Engine engine{checked, workflows, *signer, clock, entropy, ids, caches};
  engine.processes = &processes;
  const auto signals = TRY(transport::StopSignals::install());
  const auto end = TRY(over_http ? serve_http(engine, signals.fd())
                                 : serve_stdio(engine, STDIN_FILENO, STDOUT_FILENO, signals.fd()));
  // Calls that still run must not meet destructors.
  if (end == transport::ServeEnd::calls_still_running) _exit(0);
  return end;
}

int run(int argc, char** argv) {
  const bool over_http = argc == 3 && std::string_view(argv[2]) == "--http";
  if (argc != 2 && !over_http) {
    std::fputs("usage: fixture_server FILE [--http]\n", stderr);
    return 2;
  }
  const auto end = serve(argv[1], over_http);
  if (end) return 0;
  std::fprintf(stderr, "fixture_server: %s\n", end.error().message.c_str());
  return 1;
}

}  // namespace
}  // namespace baton::conformance

int main(int argc, char** argv) { return baton::conformance::run(argc, argv); }
