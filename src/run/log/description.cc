// Events to and from JSON: the one place where the visitors are compiled for all of them.

#include "run/log/description.h"

#include <algorithm>
#include <array>

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

/// Kinds of the format that this release does not write.
constexpr std::array<std::string_view, 4> later_kinds = {"step_settled", "artifacts_finalized",
                                                         "stall_noted", "project_observed"};

struct Kind {
  std::string_view name;
  Result<Event> (*read)(Fields&);
};

template <class E>
Result<Event> read_as(Fields& fields) {
  E event;
  TRY(read_into(event, fields));
  return event;
}

template <class... E>
constexpr auto kinds_of(std::type_identity<std::variant<E...>>) {
  return std::array{Kind{E::name, read_as<E>}...};
}

/// Every kind that this release knows, in the order of the variant.
constexpr auto kinds = kinds_of(std::type_identity<AnyEvent>());

constexpr bool has_unique_names() {
  std::vector<std::string_view> names(later_kinds.begin(), later_kinds.end());
  for (const Kind& kind : kinds) names.push_back(kind.name);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}
static_assert(has_unique_names());

}  // namespace

std::string_view kind_name(const Event& event) { return kinds[event.index()].name; }

Value to_json(const Event& event) {
  Object out = std::visit([](const auto& e) { return to_json(e); }, event);
  out.append_new("kind", kind_name(event));
  return out;
}

Result<Event> event_from_json(const Value& value) {
  Fields fields(value, "event", Code::STORE_CORRUPT);
  const std::string name = TRY(fields.string("kind"));
  const auto kind = std::ranges::find(kinds, name, &Kind::name);
  if (kind != kinds.end()) return kind->read(fields);
  if (std::ranges::find(later_kinds, name) != later_kinds.end()) {
    return fail(Code::STORE_NEWER, cat("events of kind ", name, " need a newer release"));
  }
  return fail(Code::STORE_CORRUPT, cat("there is no event kind \"", name, '"'));
}

Result<std::string> encode_events(std::span<const Event> events) {
  std::string body = R"({"events":[)";
  std::int64_t version = 1;
  for (const Event& event : events) {
    if (body.back() != '[') body += ',';
    TRY(json::canonical_to(body, to_json(event)));
    version = std::max(version, format_of(event));
  }
  append_piece(body, R"(],"v":)");
  append_piece(body, version);
  return body + '}';
}

Result<std::vector<Event>> decode_events(std::string_view body) {
  const json::ReadLimits bounds{limits::commit_bytes_max, limits::commit_depth_max};
  const auto parsed = json::parse(body, bounds);
  if (!parsed)
    return fail(Code::STORE_CORRUPT, cat("a commit is not JSON: ", parsed.error().message));
  Fields fields(*parsed, "commit", Code::STORE_CORRUPT);
  const std::int64_t version = TRY(fields.integer("v"));
  if (version > event_format) {
    return fail(Code::STORE_NEWER, "the log was written by a newer release");
  }
  if (version < 1) return fields.wrong("v", "a version of the format");
  std::vector<Event> events;
  for (const Value& value : *TRY(fields.array("events"))) {
    events.push_back(TRY(event_from_json(value)));
  }
  TRY(fields.done());
  return events;
}

template Object to_json(const Assessment&);
template Object to_json(const Assumption&);
template Object to_json(const Budget&);
template Object to_json(const Gap&);
template Object to_json(const Gate&);
template Object to_json(const Guidance&);
template Object to_json(const PreferenceChange&);
template Object to_json(const Preferences&);
template Object to_json(const ProcessFinished&);
template Object to_json(const ProcessIntended&);
template Object to_json(const StepError&);
template Object to_json(const StepEvidence&);
template Object to_json(const TaskRef&);
template Result<Assessment> from_json(const Value&);
template Result<Assumption> from_json(const Value&);
template Result<Gap> from_json(const Value&);
template Result<Gate> from_json(const Value&);
template Result<Guidance> from_json(const Value&);
template Result<PreferenceChange> from_json(const Value&);
template Result<Preferences> from_json(const Value&);
template Result<ProcessFinished> from_json(const Value&);
template Result<ProcessIntended> from_json(const Value&);
template Result<StepError> from_json(const Value&);
template Result<StepEvidence> from_json(const Value&);
template Result<TaskRef> from_json(const Value&);

}  // namespace baton::run
