#pragma once
// One validation of one value. Internal to base/schema*.cc; used by one thread, once.
//
// Recursion follows the schema and the value together and is bounded by schema_eval_depth_max.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema/program.h"
#include "base/schema/schema.h"

namespace baton::schema {

/// A fixed number of bits; a few of them need no allocation.
class Bits {
 public:
  explicit Bits(std::size_t count) : many_(count > few_bits ? (count + 63) / 64 : 0) {}

  void set(std::size_t i) { words()[i / 64] |= std::uint64_t{1} << (i % 64); }
  bool test(std::size_t i) const { return (words()[i / 64] >> (i % 64) & 1) != 0; }
  void merge(const Bits& other) {
    const std::size_t size = many_.empty() ? few_.size() : many_.size();
    for (std::size_t i = 0; i < size; ++i) words()[i] |= other.words()[i];
  }

 private:
  static constexpr std::size_t few_bits = 128;
  std::uint64_t* words() { return many_.empty() ? few_.data() : many_.data(); }
  const std::uint64_t* words() const { return many_.empty() ? few_.data() : many_.data(); }

  std::array<std::uint64_t, few_bits / 64> few_{};
  std::vector<std::uint64_t> many_;
};

/// Which items or properties of one value some subschema has looked at.
class Seen {
 public:
  explicit Seen(const json::Value& value);

  void set(std::size_t i) { bits_.set(i); }
  void set_all() { all_ = true; }
  bool test(std::size_t i) const { return all_ || bits_.test(i); }
  void merge(const Seen& other) {
    all_ |= other.all_;
    bits_.merge(other.bits_);
  }

 private:
  bool all_ = false;
  Bits bits_;
};

/// A place in the value, as a chain towards its root on the stack.
struct InstancePlace {
  const InstancePlace* parent = nullptr;
  std::string_view key;   // of a property
  std::size_t index = 0;  // of an item
  bool is_item = false;

  InstancePlace property(std::string_view name) const { return {this, name, 0, false}; }
  InstancePlace item(std::size_t i) const { return {this, {}, i, true}; }
};

std::string path_of(const InstancePlace& place);

class Evaluator {
 public:
  explicit Evaluator(const ValidateOptions& options) : options_(options) {}

  /// Stops at the first problem.
  bool accepts(const Program& program, const json::Value& value);

  std::vector<SchemaProblem> problems(const Program& program, const json::Value& value);

 private:
  using Problems = std::vector<SchemaProblem>;
  struct Scope {
    const Scope* outer;
    const SchemaResource* resource;
  };
  /// Problems are dropped while one of these lives.
  class Quiet {
   public:
    explicit Quiet(Evaluator& evaluator) : evaluator_(evaluator), before_(evaluator.out_) {
      evaluator_.out_ = nullptr;
    }
    ~Quiet() { evaluator_.out_ = before_; }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    Evaluator& evaluator_;
    Problems* before_;
  };

  // Each rule answers whether the value fits; one that answers false has reported why, unless
  // no listener. `seen` is where to note what was looked at, or nullptr.
  bool node(const Node& node, const json::Value& value, const InstancePlace& at, Seen* seen);
  bool rules(const Node& node, const json::Value& value, const InstancePlace& at, Seen* seen);
  bool type(const Node& node, const json::Value& value, const InstancePlace& at);
  bool scalar_rules(const Node& node, const json::Value& value, const InstancePlace& at);
  bool choice(const Node& node, const Choice& choice, std::string_view keyword,
              const json::Value& value, const InstancePlace& at);
  bool number(const Node& node, const json::Value& value, const InstancePlace& at);
  bool string(const Node& node, const std::string& text, const InstancePlace& at);
  bool matches(const Pattern& pattern, std::string_view text);

  bool logic(const Node& node, const json::Value& value, const InstancePlace& at, Seen* seen);
  bool any_of(const Node& node, const json::Value& value, const InstancePlace& at, Seen* seen);
  bool one_of(const Node& node, const json::Value& value, const InstancePlace& at, Seen* seen);
  bool condition(const LogicRules& rules, const json::Value& value, const InstancePlace& at,
                 Seen* seen);
  bool fits_quietly(const Node& node, const json::Value& value, const InstancePlace& at,
                    Seen* seen);
  const Node& dynamic_target(const LogicRules& rules);

  bool array(const Node& node, const json::Array& array, const InstancePlace& at, Seen* seen);
  bool items(const ArrayRules& rules, const json::Array& array, const InstancePlace& at,
             Seen* seen);
  bool unique(const Node& node, const json::Array& array, const InstancePlace& at);
  bool contains(const Node& node, const json::Array& array, const InstancePlace& at, Seen* seen);

  bool object(const Node& node, const json::Value& value, const InstancePlace& at, Seen* seen);
  bool members(const Node& node, const json::Object& object, const InstancePlace& at, Bits& present,
               Seen* seen);
  bool member(const Node& node, const json::Member& member, const InstancePlace& at,
              bool& looked_at);
  bool property_name(const Node& node, const std::string& name, const InstancePlace& at);
  bool names(const Node& node, const json::Value& value, const InstancePlace& at,
             const Bits& present, Seen* seen);
  bool unevaluated(const Node& node, const json::Value& value, const InstancePlace& at, Seen& seen);

  /// Adds one rule's answer; false when continuing is pointless.
  bool keep(bool& fits, bool answer) const {
    fits = fits && answer;
    return fits || out_ != nullptr;
  }
  bool spend(std::size_t steps);
  bool exhaust(std::string message);

  /// Notes a problem of `keyword`, or of the schema `false` when that is empty. Always false.
  bool report(const Node& node, std::string_view keyword, const InstancePlace& at,
              std::string message);
  bool report_no_branch(const Node& node, std::string_view keyword,
                        const std::vector<const Node*>& branches, const json::Value& value,
                        const InstancePlace& at);
  Problems problems_of(const Node& node, const json::Value& value, const InstancePlace& at);

  const ValidateOptions& options_;
  Problems* out_ = nullptr;
  std::size_t steps_left_ = options_.steps_max;
  std::size_t depth_ = 0;
  const Scope* scope_ = nullptr;
  std::string exhausted_;  // which bound, when one was passed
};

std::string types_text(std::uint8_t types);

/// What to say of a property that `node` does not know: the nearest known name, or some of them.
std::string unknown_property(const Node& node, std::string_view name);

}  // namespace baton::schema
