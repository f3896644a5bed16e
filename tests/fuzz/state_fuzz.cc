// Links: state
// The state. The first byte chooses what the rest is read as: a path, a template, a delta of the
// log, or the state of a compiled workflow. What was read prints and reads back the same, and what
// is refused changes nothing.

#include "base/text/utf8.h"
#include "state/mentions.h"
#include "state/render.h"
#include "state/update.h"

namespace baton {
namespace {

using state::Frame;
using state::Tree;

Frame some_frame() {
  Frame frame;
  frame.raw = Tree::from(json::Object{{"list", json::Array{1, "two"}}, {"text", "x"}, {"n", 1}});
  frame.computed = Tree::from(json::Object{{"twice", 2}});
  return frame;
}

void as_path(std::string_view text) {
  if (const auto path = state::parse_path(text)) {
    ASSERT(MUST(state::parse_path(print(*path))) == *path);
    const auto found = state::read(some_frame(), *path);
    const auto made = some_frame().raw.with(path->segments, Tree::from("new"));
    if (made) ASSERT(made->get(path->segments) == Tree::from("new"));
    if (found) ASSERT(found->print().size() == found->bytes());
  }
}

void as_template(std::string_view text) {
  const Frame frame = some_frame();
  const state::StateSchema schema = MUST(
      state::StateSchema::read({{"raw", json::Object{{"list", "array"}, {"text", "string"}}}}, {}));
  const state::Scope scope(schema, frame);
  for (const state::Mention& each : state::mentions_of(text)) ASSERT(!each.name.empty());
  if (!utf8::is_valid(text)) return;
  state::ScriptAnswers answers;
  const auto shown = state::render_text(text, scope, {}, answers);
  if (shown) ASSERT(utf8::is_valid(*shown));
  for (const auto& asked : answers.asked()) ASSERT(MUST(json::parse(asked.scope)).is_object());
  state::ScriptAnswers others;
  static_cast<void>(state::render_all(text, scope, {}, others));
  static_cast<void>(state::render_path(text, scope, {}, others));
}

void as_delta(const json::Value& value) {
  const auto delta = state::delta_from_json(value);
  if (!delta) return;
  ASSERT(MUST(state::delta_from_json(to_json(*delta))) == *delta);
  const Frame before = some_frame();
  const auto after = state::replayed(before, *delta);
  ASSERT(before == some_frame());
  if (after) ASSERT(MUST(state::frame_from_json(to_json(*after))) == *after);
}

void as_schema(const json::Value& value) {
  if (!value.is_object()) return;
  const auto schema = state::StateSchema::read(*value.if_object(), {});
  if (!schema) return;
  const state::Path changed[] = {{state::Root::raw, {"n"}}};
  std::size_t last = 0;
  for (const auto& each : schema->affected(changed)) {
    ASSERT(each.field >= last);
    last = each.field;
  }
  const state::Write write[] = {{changed[0], state::Operation::increment, nullptr}};
  state::ScriptAnswers answers;
  static_cast<void>(state::apply_writes(*schema, some_frame(), write, {}, answers));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 4) {
    case 0: as_path(text); return 0;
    case 1: as_template(text); return 0;
    default: break;
  }
  const auto value = json::parse(text);
  if (!value) return 0;
  data[0] % 4 == 2 ? as_delta(*value) : as_schema(*value);
  return 0;
}

}  // namespace baton
