// Links: base run verbs surface adapters
// One byte chooses a tool of the rail, the rest is the text of its arguments: no crash, every
// answer is JSON with text, and a refused call or a reading one writes nothing. In the text, $1 to
// $3 stand for a valid ack, state and checkpoint token, so that inputs can reach past them.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/crypto/memory_signer.h"
#include "adapters/os/repeatable.h"
#include "adapters/store/memory/memory_search.h"
#include "adapters/store/memory/memory_store.h"
#include "base/text/text.h"
#include "protocol/arguments.h"
#include "surface/rail/tools.h"
#include "surface/tokens.h"
#include "verbs/run/start_run.h"

namespace baton {
namespace {

/// The same workflow for every name.
class OneWorkflow final : public ports::WorkflowSource {
 public:
  Result<std::vector<ports::WorkflowFile>> all() override {
    return std::vector<ports::WorkflowFile>{{"project",
                                             "flows/demo.json",
                                             R"({"id": "demo",
      "steps": [{"id": "a", "prompt": "Do a."}, {"id": "b", "prompt": "Do b."}]})",
                                             {}}};
  }
  Result<std::vector<ports::WorkflowFile>> named(std::string_view) override { return all(); }
  void read(ports::WorkflowFile&) override {}
  Result<std::vector<ports::WorkflowFile>> find(const ports::WantedText&) override {
    return std::vector<ports::WorkflowFile>();
  }
};

struct Machine {
  adapters::ManualClock clock{WallMs{1'790'000'000'000}};
  adapters::FixedEntropy entropy{1};
  adapters::MemoryStore store;
  adapters::MemorySigner signer{entropy};
  adapters::MemorySearch search;
  OneWorkflow workflows;
  engine::IdSource ids{clock, entropy};
  engine::Caches caches;
  engine::CheckedStore checked{store, caches};
  engine::Engine engine{checked, workflows, signer,  clock,   entropy,
                        ids,     caches,    nullptr, &search, nullptr};
};

std::string filled_in(std::string_view text, const surface::SignedReply& reply) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] != '$' || next < '1' || next > '3') {
      out += text[i];
      continue;
    }
    out += next == '1'   ? reply.ack_token.value_or("")
           : next == '2' ? reply.state_token
                         : reply.checkpoint_token.value_or("");
    ++i;
  }
  return out;
}

void feed(std::uint8_t choice, std::string_view text) {
  Machine machine;
  const auto started = surface::start(machine.engine, {}, {"demo", "a goal", {}, {}});
  ASSERT(started);
  const auto arguments = json::parse(filled_in(text, *started));
  if (!arguments || !arguments->is_object()) return;
  // Made once: schemas are compiled with the table.
  static Machine* current = nullptr;
  current = &machine;
  static const protocol::ToolTable table = MUST(protocol::ToolTable::make(
      surface::rail::tools([]() -> Result<engine::Engine*> { return &current->engine; })));
  const protocol::CheckedTool& tool = table.all()[choice % table.all().size()];
  const run::CommitNo before = MUST(machine.store.last_commit());
  auto accepted = protocol::accept_arguments(tool, *arguments->if_object());
  if (!accepted) {
    ASSERT(!accepted.error().message.empty());
    return;
  }
  const protocol::ToolAnswer answer = tool.tool.handler({.arguments = *std::move(accepted)});
  const auto* result = std::get_if<protocol::ToolResult>(&answer);
  ASSERT(result != nullptr && !result->text.empty());
  const std::string line = json::print(result->structured);
  ASSERT(json::parse(line, {.bytes_max = line.size(), .depth_max = 4 * limits::json_depth_max}));
  const run::CommitNo after = MUST(machine.store.last_commit());
  if (result->is_error || tool.tool.annotations.read_only) ASSERT(after == before);
  ASSERT(after.value <= before.value + 1);
}

}  // namespace
}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  baton::feed(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  return 0;
}
