#include "state_load.h"

#include "base/text/text.h"
#include "state/update.h"

namespace baton::bench {
namespace {

using json::Array;
using json::Object;
using state::Frame;
using state::Operation;
using state::Path;
using state::Root;
using state::StateSchema;
using state::Tree;
using state::Write;

constexpr std::size_t computed_fields = 10'000;
constexpr std::size_t dependents = 10;

/// Ten fields read raw.x, one after the other; each of the others reads a field of its own.
StateSchema many_computed() {
  Array fields;
  for (std::size_t i = 0; i < computed_fields; ++i) {
    const std::string from = i == 0           ? "raw.x"
                             : i < dependents ? cat("computed.f", i - 1)
                                              : cat("raw.r", i);
    fields.push_back(Object{{"name", cat('f', i)},
                            {"from", Array{from}},
                            {"list", false},
                            {"transform", "input"},
                            {"on_error", "use_fallback"}});
  }
  return MUST(StateSchema::read({{"computed", std::move(fields)}}, {}));
}

/// The write, its fields and the new frame. Every script has its answer at once.
Frame written(const StateSchema& schema, const Frame& frame, const Write& write) {
  state::ScriptAnswers answers;
  for (;;) {
    auto delta = state::apply_writes(schema, frame, {&write, 1}, {}, answers);
    if (!is_not_yet(delta)) {
      return MUST(state::replayed(frame, MUST(state::settled(std::move(delta)))));
    }
    std::vector<state::ScriptAnswer> supplied(answers.asked().size(), {json::Value(1), 0});
    answers.supply(std::move(supplied));
  }
}

Frame with_computed_fields(const StateSchema& schema) {
  Frame frame;
  Object raw;
  for (std::size_t i = 0; i < computed_fields; ++i) raw.append_new(cat('r', i), 1);
  frame.raw = Tree::from(raw);
  Object computed;
  for (const auto& field : schema.computed()) computed.append_new(field.name, 1);
  frame.computed = Tree::from(computed);
  return frame;
}

/// About `bytes` of text: half of it in one list, half in one object.
Frame of_size(std::size_t bytes) {
  constexpr std::size_t entry_bytes = 50;
  Array list;
  Object map;
  for (std::size_t i = 0; i < bytes / entry_bytes / 2; ++i) {
    list.push_back(cat("an element of the long list, number ", 1'000'000 + i));
    map.append_new(cat("key ", 1'000'000 + i), "a member of the object");
  }
  Frame frame;
  frame.raw = Tree::from(Object{{"list", std::move(list)}, {"map", std::move(map)}});
  return frame;
}

double write_us(const Frame& frame, std::size_t count) {
  const StateSchema schema = MUST(StateSchema::read({}, {}));
  const Write writes[] = {{{Root::raw, {"list"}}, Operation::append, "one more"},
                          {{Root::raw, {"map", "key 1000042"}}, Operation::set, "changed"},
                          {{Root::raw, {"map", "a new key"}}, Operation::set, "added"},
                          {{Root::raw, {"list", "7"}}, Operation::set, "changed"}};
  std::size_t next = 0;
  return measure(count, [&] { written(schema, frame, writes[next++ % 4]); }).p50;
}

}  // namespace

void add_state_figures(Report& report, std::size_t scale) {
  const StateSchema schema = many_computed();
  const Frame frame = with_computed_fields(schema);
  const Write write{{Root::raw, {"x"}}, Operation::set, 5};
  const Path changed[] = {write.path};
  ASSERT(schema.affected(changed).size() == dependents);
  const double among_many = measure(200 * scale, [&] { written(schema, frame, write); }).p50 / 1000;
  report.add("a write that 10 of 10,000 computed fields read, without scripts", among_many, "ms",
             "< 1", among_many < 1);
  const double small = write_us(of_size(10'000), 1'000 * scale);
  const double large = write_us(of_size(10'000'000), 1'000 * scale);
  report.add("a write into a state of 10 MB", large, "us", "< 100", large < 100);
  report.add("the same, against one of 10 KB", large / small, "x", "< 4", large < 4 * small);
  report.note("reading the schema of 10,000 computed fields",
              measure(5 * scale, [] { many_computed(); }).p50 / 1000, "ms");
}

}  // namespace baton::bench
