#pragma once
// From schema text (as a value) to a Program. Internal to base/schema*.cc; lives for one compile().
//
// A document is compiled whole, its references are noted, and then each is followed; following one
// may bring in another document or a place that no keyword reaches, which is compiled in turn.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/schema/program.h"
#include "base/schema/schema.h"

namespace baton::schema {

class SchemaCompiler {
 public:
  explicit SchemaCompiler(const SchemaOptions& options) : options_(options) {}

  Result<std::shared_ptr<const Program>> compile(const json::Value& schema);

 private:
  enum Vocabulary : std::uint8_t {
    core = 1,
    applicator = 2,
    unevaluated = 4,
    validation = 8,
    annotation = 16,
    every_vocabulary = 31,
  };
  using Handler = Result<void> (SchemaCompiler::*)(Node&, std::string_view, const json::Value&);
  struct Keyword {
    std::string_view name;
    Vocabulary vocabulary;
    Handler handler;
  };
  struct Reference {
    Node* from;
    std::string uri;
    bool dynamic;
  };
  struct Target {
    const Node* node = nullptr;
    bool dynamic_anchor = false;
  };
  struct PendingName {
    NameRule rule;
    std::vector<std::string> needs;
  };
  using Names = std::map<std::string, PendingName, std::less<>>;

  static std::span<const Keyword> keywords();
  static const Keyword* find_keyword(std::string_view name);

  // Documents and subschemas.
  Result<Node*> document(const json::Value& schema, std::string base, std::string place);
  Result<Node*> node(const json::Value& schema, const Node* parent, std::string token,
                     SchemaResource* resource);
  Result<void> fill(Node& into, const json::Object& schema);
  void finish_names(Node& into);
  Result<SchemaResource*> new_resource(const json::Value& schema, std::string_view base,
                                       const SchemaResource* outer);
  Result<std::uint8_t> vocabularies(const json::Value& dialect) const;
  Result<void> anchor(Node& into, std::string_view name, bool dynamic);
  std::uint32_t number_of(std::string_view dynamic_anchor);

  // References.
  Result<void> follow(const Reference& reference);
  Result<Target> target_of(const Reference& reference);
  Result<SchemaResource*> resource_at(std::string_view uri, const Node& from);
  Result<const Node*> at_pointer(SchemaResource& resource, std::string_view pointer,
                                 const Node& from);
  Result<void> refuse_loops() const;

  // Keyword handlers, by the shape of what they read.
  Result<void> id(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> anchors(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> reference(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> definitions(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> branches(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> single(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> properties(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> pattern_properties(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> type(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> choice(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> number(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> count(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> pattern(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> unique(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> required(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> dependent_required(Node& into, std::string_view keyword, const json::Value& value);
  Result<void> dependencies(Node& into, std::string_view keyword, const json::Value& value);

  Result<void> needs(Node& into, std::string_view keyword, const json::Member& member);

  Result<Pattern> new_pattern(const Node& at, std::string_view keyword, std::string_view text);
  Result<Node*> child(Node& into, std::string_view keyword, const json::Value& value);
  Result<Node*> child(Node& into, std::string_view keyword, std::string_view key,
                      const json::Value& value);
  Result<void> spend(std::size_t steps);
  static std::unexpected<Error> refuse(const Node& at, std::string_view keyword,
                                       std::string_view what);

  const SchemaOptions& options_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::map<std::string, SchemaResource*, std::less<>> resources_;
  std::map<std::string, Target, std::less<>> anchors_;  // by "URI#name"
  std::map<std::string, std::uint32_t, std::less<>> dynamic_names_;
  std::unordered_map<const json::Value*, Node*> nodes_;
  std::vector<Reference> references_;
  std::deque<json::Value> meta_documents_;        // parsed on demand; nodes_ points into them
  std::unordered_map<const Node*, Names> names_;  // of the nodes being filled
  std::size_t depth_ = 0;
  std::size_t patterns_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace baton::schema
