#include "world.h"

#include "base/text/text.h"

namespace baton::powercut {
namespace {

constexpr int workflow_steps = 40;

}  // namespace

OneWorkflow::OneWorkflow() {
  std::string text = cat(R"({"id": ")", id, R"(", "steps": [)");
  for (int i = 0; i < workflow_steps; ++i) {
    // Some prompts are long enough to be kept by their hash.
    const std::string prompt(static_cast<std::size_t>(i % 3 == 0 ? 400 : 40), 'p');
    text += cat(i == 0 ? "" : ",", R"({"id": "s)", i, R"(", "prompt": ")", prompt, i, "\"}");
  }
  files_ = {{"project", cat("flows/", id, ".json"), text + "]}", {}}};
}

Result<ports::AppendOutcome> WatchedStore::append(run::CommitDraft append) {
  auto outcome = FaultyStore::append(std::move(append));
  if (outcome) on_append_();
  return outcome;
}

Result<std::unique_ptr<World>> World::open(const Setup& setup) {
  auto store = TRY(adapters::SqliteStore::open(
      setup.path, {.vfs = setup.vfs, .busy_ms_max = setup.busy_ms_max}));
  return std::make_unique<World>(setup, std::move(store));
}

World::World(const Setup& setup, std::unique_ptr<adapters::SqliteStore> store)
    : key_entropy_(setup.key_seed),
      entropy_(setup.id_seed),
      clock_({1'800'000'000'000}),
      signer_(key_entropy_),
      store_(std::move(store)),
      watched_(*store_, setup.on_append),
      ids_(clock_, entropy_),
      checked_(watched_, caches_),
      engine_{checked_, workflows_, signer_, clock_, entropy_, ids_, caches_} {}

Result<surface::SignedReply> send(World& world, const Request& request) {
  switch (request.kind) {
    case Request::Kind::start:
      return surface::start(world.engine(), {}, {OneWorkflow::id, request.goal, {}, {}});
    case Request::Kind::advance:
      return surface::advance(world.engine(), {}, {request.token, std::nullopt, request.input});
    case Request::Kind::checkpoint:
      return surface::checkpoint(world.engine(), {}, {request.token, std::nullopt, request.input});
  }
  return fail(Code::INTERNAL, "no such request");
}

bool same_reply(const surface::SignedReply& a, const surface::SignedReply& b) {
  return a.reply == b.reply && a.state_token == b.state_token && a.ack_token == b.ack_token &&
         a.checkpoint_token == b.checkpoint_token;
}

std::string text_of(const Error& error) { return cat(name_of(error.code), ": ", error.message); }

}  // namespace baton::powercut
