// Problems in words: where, what, and the likely remedy.

#include <algorithm>
#include <tuple>

#include "base/schema/evaluator.h"
#include "base/schema/value.h"
#include "base/text/text.h"

namespace baton::schema {
namespace {

using json::Value;

/// The types a node allows, also when it says so through a plain reference.
std::uint8_t types_of(const Node& node) {
  constexpr int hops_max = 8;
  const Node* at = &node;
  for (int hop = 0; hop < hops_max; ++hop) {
    if (at->types != any_type || !at->logic || at->logic->ref == nullptr) break;
    at = at->logic->ref;
  }
  return at->types;
}

bool allows_type(std::uint8_t types, const Value& value) {
  if ((types & bit_of(value.type())) != 0) return true;
  return (types & bit_of(json::Type::integer)) != 0 && is_whole(value);
}

/// The property names that the node and what it refers to on the same value know.
std::vector<std::string_view> known_names(const Node& node) {
  constexpr std::size_t nodes_max = 64;
  std::vector<std::string_view> names;
  std::vector<const Node*> queue{&node};
  for (std::size_t i = 0; i < queue.size() && i < nodes_max; ++i) {
    if (queue[i]->object) {
      for (const NameRule& rule : queue[i]->object->names) {
        if (names.size() >= limits::schema_candidates_max) return names;
        if (rule.schema != nullptr && std::ranges::find(names, rule.name) == names.end()) {
          names.push_back(rule.name);
        }
      }
    }
    for_each_in_place(*queue[i], [&queue](const Node& next) {
      if (queue.size() < nodes_max) queue.push_back(&next);
    });
  }
  return names;
}

}  // namespace

std::string path_of(const InstancePlace& place) {
  std::vector<const InstancePlace*> chain;
  for (const InstancePlace* at = &place; at->parent != nullptr; at = at->parent)
    chain.push_back(at);
  std::string out;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    out += '/';
    out += (*at)->is_item ? cat((*at)->index) : pointer_token((*at)->key);
    if (out.size() > limits::schema_path_bytes_max) break;
  }
  return shortened(out, limits::schema_path_bytes_max);
}

std::string types_text(std::uint8_t types) {
  using json::Type;
  std::vector<std::string_view> names;
  for (const Type type : {Type::object, Type::array, Type::string, Type::number, Type::integer,
                          Type::boolean, Type::null}) {
    if ((types & bit_of(type)) == 0) continue;
    if (type == Type::integer && (types & bit_of(Type::number)) != 0) continue;
    names.push_back(json::name_of(type));
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

std::string unknown_property(const Node& node, std::string_view name) {
  constexpr std::size_t listed_max = 12;
  const std::vector<std::string_view> known = known_names(node);
  if (const auto near = nearest(name, known)) {
    return cat("unknown property; did you mean ", in_quotes(*near), '?');
  }
  if (known.empty()) return "unknown property; none is allowed here";
  std::string out = "unknown property; known here: ";
  for (std::size_t i = 0; i < std::min(known.size(), listed_max); ++i) {
    out += i == 0 ? "" : ", ";
    out += shortened(known[i], limits::schema_shown_bytes_max);
  }
  return known.size() > listed_max ? cat(out, ", ...") : out;
}

bool Evaluator::report(const Node& node, std::string_view keyword, const InstancePlace& at,
                       std::string message) {
  if (out_ == nullptr) return false;
  SchemaProblem problem;
  problem.instance_path = path_of(at);
  problem.schema_path = place_of(node);
  if (!keyword.empty()) problem.schema_path += cat('/', keyword);
  problem.schema_path = shortened(problem.schema_path, limits::schema_path_bytes_max);
  problem.keyword = keyword.empty() ? "false" : keyword;
  problem.message = std::move(message);
  out_->push_back(std::move(problem));
  // Full: from here on only the answer matters.
  if (out_->size() >= options_.problems_max) out_ = nullptr;
  return false;
}

std::vector<SchemaProblem> Evaluator::problems_of(const Node& node, const Value& value,
                                                  const InstancePlace& at) {
  const Quiet keeps_the_outer_list(*this);
  Problems found;
  out_ = &found;
  this->node(node, value, at, nullptr);
  return found;
}

/// No alternative fits: says which types would, or why the nearest alternative does not.
bool Evaluator::report_no_branch(const Node& node, std::string_view keyword,
                                 const std::vector<const Node*>& branches, const Value& value,
                                 const InstancePlace& at) {
  if (out_ == nullptr) return false;
  unsigned types = 0;
  for (const Node* branch : branches) types |= branch->fixed ? 0u : types_of(*branch);
  const auto union_types = static_cast<std::uint8_t>(types);
  if (union_types != 0 && !allows_type(union_types, value)) {
    return report(node, keyword, at,
                  cat("expected ", types_text(union_types), ", got ", json::name_of(value.type())));
  }
  // An alternative for another type, or for another value of the property that tells the
  // alternatives apart, is further away than one with several smaller problems.
  using Distance = std::tuple<bool, bool, std::size_t>;
  std::size_t nearest_branch = 0;
  Distance nearest_distance{true, true, unbounded};
  Problems why;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    Problems found = problems_of(*branches[i], value, at);
    const bool tells_apart = std::ranges::any_of(found, [](const SchemaProblem& problem) {
      return problem.keyword == "const" || problem.keyword == "enum";
    });
    const Distance distance{!allows_type(types_of(*branches[i]), value), tells_apart, found.size()};
    if (found.empty() || distance >= nearest_distance) continue;
    nearest_branch = i;
    nearest_distance = distance;
    why = std::move(found);
  }
  if (!exhausted_.empty()) return false;
  constexpr std::size_t shown_max = 3;
  std::string message = cat("fits none of ", branches.size(), " alternatives; the nearest, number ",
                            nearest_branch + 1, ", says: ");
  for (std::size_t i = 0; i < std::min(why.size(), shown_max); ++i) {
    const std::string& path = why[i].instance_path;
    message += cat(i == 0 ? "" : "; ", path, path.empty() ? "" : ": ", why[i].message);
  }
  return report(node, keyword, at, std::move(message));
}

}  // namespace baton::schema
