// Documents, identifiers and references. The keywords themselves are in schema_keywords.cc.

#include <algorithm>

#include "base/schema/compiler.h"
#include "base/schema/uri.h"
#include "base/schema/value.h"
#include "base/text/text.h"

namespace baton::schema {
namespace {

using json::Value;

constexpr std::string_view vocabulary_prefix = "https://json-schema.org/draft/2020-12/vocab/";

/// One token of a JSON Pointer as the key it means; nothing when an escape is malformed.
std::optional<std::string> unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    const char next = i + 1 < token.size() ? token[i + 1] : '\0';
    if (next != '0' && next != '1') return std::nullopt;
    out += next == '0' ? '~' : '/';
    ++i;
  }
  return out;
}

const Value* step_into(const Value& value, std::string_view token) {
  if (const json::Array* array = value.if_array()) {
    const auto index = parse_int(token);
    const bool inside = index && *index >= 0 && static_cast<std::size_t>(*index) < array->size();
    return inside ? &(*array)[static_cast<std::size_t>(*index)] : nullptr;
  }
  return value.find(token);
}

std::string_view string_at(const Value& schema, std::string_view key) {
  const Value* found = schema.find(key);
  return found != nullptr && found->is_string() ? std::string_view(*found->if_string())
                                                : std::string_view();
}

}  // namespace

std::string place_of(const Node& node) {
  std::vector<const Node*> chain;
  for (const Node* at = &node; at != nullptr; at = at->parent) chain.push_back(at);
  std::string out;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) out += (*at)->token;
  return out;
}

std::unexpected<Error> SchemaCompiler::refuse(const Node& at, std::string_view keyword,
                                              std::string_view what) {
  const std::string place = cat(place_of(at), keyword.empty() ? "" : "/", pointer_token(keyword));
  return fail(Code::INVALID_SCHEMA,
              cat("the schema", place.empty() ? "" : " at ",
                  shortened(place, limits::schema_path_bytes_max), ": ", what));
}

Result<std::shared_ptr<const Program>> SchemaCompiler::compile(const Value& schema) {
  program_->root = TRY(document(schema, "", ""));
  // Following one reference may note others.
  for (std::size_t i = 0; i < references_.size(); ++i) {
    const Reference reference = references_[i];
    TRY(follow(reference));
  }
  TRY(refuse_loops());
  for (SchemaResource& resource : program_->resources) resource.root = nullptr;
  return program_;
}

// --- documents and subschemas ------------------------------------------------------------------

Result<Node*> SchemaCompiler::document(const Value& schema, std::string base, std::string place) {
  SchemaResource* resource = TRY(new_resource(schema, base, nullptr));
  resources_.emplace(std::move(base), resource);
  return node(schema, nullptr, std::move(place), resource);
}

/// The resource that begins at `schema`. Its dialect is its own, else that of what is around it.
Result<SchemaResource*> SchemaCompiler::new_resource(const Value& schema, std::string_view base,
                                                     const SchemaResource* outer) {
  const std::string_view id = string_at(schema, "$id");
  if (const auto fragment = split_fragment(id).second; !fragment.empty()) {
    return fail(Code::INVALID_SCHEMA, cat("$id ", in_quotes(id), " has a fragment"),
                "use $anchor instead");
  }
  SchemaResource made;
  made.uri = id.empty() ? std::string(base) : resolve_uri(base, id);
  made.root = &schema;
  made.vocabularies = outer != nullptr ? outer->vocabularies : std::uint8_t{every_vocabulary};
  if (const Value* dialect = schema.find("$schema"))
    made.vocabularies = TRY(vocabularies(*dialect));
  if (resources_.contains(made.uri)) {
    return fail(Code::INVALID_SCHEMA, cat("two schemas have the $id ", in_quotes(made.uri)));
  }
  SchemaResource* resource = &program_->resources.emplace_back(std::move(made));
  resources_.emplace(resource->uri, resource);
  return resource;
}

Result<std::uint8_t> SchemaCompiler::vocabularies(const Value& dialect) const {
  if (!dialect.is_string()) return fail(Code::INVALID_SCHEMA, "$schema must be a string");
  const std::string uri(split_fragment(*dialect.if_string()).first);
  if (uri == dialect_uri) return every_vocabulary;
  const auto meta = options_.registry.find(uri);
  if (meta == options_.registry.end()) {
    return fail(Code::INVALID_SCHEMA, cat("the dialect ", in_quotes(uri), " is not known"),
                cat("use ", dialect_uri));
  }
  const Value* declared = meta->second.find("$vocabulary");
  if (declared == nullptr && string_at(meta->second, "$schema") == dialect_uri) {
    return every_vocabulary;
  }
  if (declared == nullptr || !declared->is_object()) {
    return fail(Code::INVALID_SCHEMA, cat("the dialect ", in_quotes(uri), " has no $vocabulary"));
  }
  unsigned found = 0;
  for (const json::Member& member : *declared->if_object()) {
    const std::string_view name = member.key;
    const std::string_view tail =
        name.starts_with(vocabulary_prefix) ? name.substr(vocabulary_prefix.size()) : "";
    if (tail == "core" || tail == "meta-data" || tail == "content" || tail == "format-annotation") {
      found |= core | annotation;
    } else if (tail == "applicator") {
      found |= applicator;
    } else if (tail == "unevaluated") {
      found |= unevaluated;
    } else if (tail == "validation") {
      found |= validation;
    } else if (const bool* needed = member.value.if_bool(); needed != nullptr && *needed) {
      return fail(Code::INVALID_SCHEMA,
                  cat("the dialect ", in_quotes(uri), " requires the vocabulary ", in_quotes(name),
                      ", which is not known"));
    }
  }
  return static_cast<std::uint8_t>(found | core);
}

Result<Node*> SchemaCompiler::node(const Value& schema, const Node* parent, std::string token,
                                   SchemaResource* resource) {
  if (const auto known = nodes_.find(&schema); known != nodes_.end()) return known->second;
  if (program_->nodes.size() >= limits::schema_nodes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the schema has more than ", limits::schema_nodes_max, " subschemas"));
  }
  if (depth_ >= limits::schema_depth_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("the schema is nested deeper than ", limits::schema_depth_max, " levels"));
  }
  Node& made = program_->nodes.emplace_back();
  made.parent = parent;
  made.token = std::move(token);
  made.index = program_->nodes.size() - 1;
  made.resource = resource;
  nodes_.emplace(&schema, &made);
  if (const bool* fixed = schema.if_bool()) {
    made.fixed = *fixed;
    return &made;
  }
  const json::Object* object = schema.if_object();
  if (object == nullptr) {
    return refuse(made, "", cat("expected an object or a boolean, got ", shown(schema)));
  }
  if (&schema != resource->root && !string_at(schema, "$id").empty()) {
    made.resource = TRY(new_resource(schema, resource->uri, resource));
  }
  ++depth_;
  TRY(fill(made, *object));
  --depth_;
  return &made;
}

Result<void> SchemaCompiler::fill(Node& into, const json::Object& schema) {
  for (const json::Member& member : schema) {
    const Keyword* keyword = find_keyword(member.key);
    if (keyword == nullptr || (keyword->vocabulary & into.resource->vocabularies) == 0) continue;
    TRY((this->*keyword->handler)(into, member.key, member.value));
  }
  finish_names(into);
  return {};
}

void SchemaCompiler::finish_names(Node& into) {
  const auto found = names_.find(&into);
  if (found == names_.end()) return;
  Names& pending = found->second;
  std::vector<std::string> needed;
  for (const auto& [name, entry] : pending) {
    needed.insert(needed.end(), entry.needs.begin(), entry.needs.end());
  }
  for (const std::string& other : needed) pending.try_emplace(other);
  ObjectRules& rules = *into.object;
  std::map<std::string_view, std::size_t> index;
  for (auto& [name, entry] : pending) index.emplace(name, index.size());
  for (auto& [name, entry] : pending) {
    for (const std::string& other : entry.needs) entry.rule.needs.push_back(index[other]);
    entry.rule.name = name;
    rules.has_required |=
        entry.rule.required || !entry.rule.needs.empty() || !entry.rule.dependents.empty();
    rules.names.push_back(std::move(entry.rule));
  }
  names_.erase(found);
}

Result<void> SchemaCompiler::anchor(Node& into, std::string_view name, bool dynamic) {
  if (dynamic) into.resource->dynamic_anchors.push_back({number_of(name), &into});
  const auto [at, added] = anchors_.try_emplace(cat(into.resource->uri, '#', name));
  if (!added && at->second.node != &into) {
    return refuse(into, dynamic ? "$dynamicAnchor" : "$anchor",
                  cat("the anchor ", in_quotes(name), " is used twice"));
  }
  at->second.node = &into;
  at->second.dynamic_anchor |= dynamic;
  return {};
}

std::uint32_t SchemaCompiler::number_of(std::string_view dynamic_anchor) {
  const auto next = static_cast<std::uint32_t>(dynamic_names_.size());
  return dynamic_names_.try_emplace(std::string(dynamic_anchor), next).first->second;
}

Result<void> SchemaCompiler::spend(std::size_t steps) {
  steps_ += steps;
  if (steps_ <= limits::schema_steps_max) return {};
  return fail(Code::LIMIT_EXCEEDED,
              cat("compiling the schema takes more than ", limits::schema_steps_max, " steps"));
}

// --- references --------------------------------------------------------------------------------

Result<void> SchemaCompiler::follow(const Reference& reference) {
  const Target target = TRY(target_of(reference));
  LogicRules& logic = *reference.from->logic;
  if (!reference.dynamic) {
    logic.ref = target.node;
    return {};
  }
  logic.dynamic_ref = target.node;
  if (target.dynamic_anchor) {
    logic.dynamic_ref_name = number_of(split_fragment(reference.uri).second);
  }
  return {};
}

Result<SchemaCompiler::Target> SchemaCompiler::target_of(const Reference& reference) {
  const auto [uri, fragment] = split_fragment(reference.uri);
  SchemaResource* resource = TRY(resource_at(uri, *reference.from));
  if (fragment.empty()) return Target{nodes_.at(resource->root), false};
  if (fragment.starts_with('/')) {
    const Node* found = TRY(at_pointer(*resource, percent_decoded(fragment), *reference.from));
    return Target{found, false};
  }
  const auto found = anchors_.find(cat(resource->uri, '#', fragment));
  if (found == anchors_.end()) {
    return refuse(*reference.from, reference.dynamic ? "$dynamicRef" : "$ref",
                  cat("no schema has the anchor ", in_quotes(fragment)));
  }
  return found->second;
}

/// The resource with this URI, bringing in its document when it is not here yet.
Result<SchemaResource*> SchemaCompiler::resource_at(std::string_view uri, const Node& from) {
  if (const auto found = resources_.find(uri); found != resources_.end()) return found->second;
  const Value* text = nullptr;
  if (const auto found = options_.registry.find(uri); found != options_.registry.end()) {
    text = &found->second;
  } else {
    const auto meta = std::ranges::find(meta_schemas(), uri, &MetaSchema::uri);
    if (meta == meta_schemas().end()) {
      return refuse(from, "", cat("no schema is registered as ", in_quotes(uri)));
    }
    // Proven by the tests: every embedded text is JSON.
    text = &meta_documents_.emplace_back(MUST(json::parse(meta->text)));
  }
  const Node* root = TRY(document(*text, std::string(uri), cat(uri, '#')));
  return root->resource;
}

Result<const Node*> SchemaCompiler::at_pointer(SchemaResource& resource, std::string_view pointer,
                                               const Node& from) {
  const std::string place = cat(resource.uri.empty() ? "" : cat(resource.uri, '#'), pointer);
  const Value* at = resource.root;
  SchemaResource* inside = &resource;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const auto key = unescaped(token);
    TRY(spend(1 + (at->is_object() ? at->if_object()->size() : 0)));
    at = key ? step_into(*at, *key) : nullptr;
    if (at == nullptr) {
      return refuse(from, "", cat("the reference ", in_quotes(place), " leads nowhere"));
    }
    if (const auto known = nodes_.find(at); known != nodes_.end()) {
      inside = known->second->resource;
    }
  }
  return TRY(node(*at, nullptr, place, inside));
}

/// A subschema that leads back to itself on the same value would never end.
Result<void> SchemaCompiler::refuse_loops() const {
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(program_->nodes.size(), Mark::fresh);
  std::vector<const Node*> stack;
  for (const Node& start : program_->nodes) {
    stack.push_back(&start);
    while (!stack.empty()) {
      const Node& at = *stack.back();
      if (marks[at.index] != Mark::fresh) {
        marks[at.index] = Mark::done;
        stack.pop_back();
        continue;
      }
      marks[at.index] = Mark::open;
      const Node* loop = nullptr;
      for_each_in_place(at, [&](const Node& next) {
        if (marks[next.index] == Mark::open) loop = &next;
        if (marks[next.index] == Mark::fresh) stack.push_back(&next);
      });
      if (loop != nullptr) {
        return refuse(*loop, "", "references form a cycle without descending into the value");
      }
    }
  }
  return {};
}

Result<Schema> Schema::compile(const json::Value& schema, const SchemaOptions& options) {
  return Schema(TRY(SchemaCompiler(options).compile(schema)));
}

}  // namespace baton::schema
