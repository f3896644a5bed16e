#include <algorithm>

#include "base/text/text.h"
#include "workflow/read/read.h"
#include "workflow/read/tree_builder.h"

namespace baton::workflow {
namespace {

/// Hears the JSON reader. After a bound is passed nothing more is built.
class Listener final : public json::ParseHandler {
 public:
  Listener(std::string_view text, std::uint32_t file, Diagnostics& diagnostics)
      : text_(text),
        file_(file),
        diagnostics_(diagnostics),
        cursor_(text, file),
        builder_(diagnostics) {}

  void null(std::size_t at) override { add(json::Type::null, at); }
  void boolean(std::size_t at, bool value) override {
    if (SyntaxNode* node = add(json::Type::boolean, at)) node->boolean = value;
  }
  void integer(std::size_t at, std::int64_t value) override {
    if (SyntaxNode* node = add(json::Type::integer, at)) node->integer = value;
  }
  void number(std::size_t at, double value) override {
    if (SyntaxNode* node = add(json::Type::number, at)) node->number = value;
  }
  void string(std::size_t at, std::string value) override {
    if (SyntaxNode* node = add(json::Type::string, at)) node->text = std::move(value);
  }
  void begin_array(std::size_t at) override { open(json::Type::array, at); }
  void end_array() override { close(); }
  void begin_object(std::size_t at) override { open(json::Type::object, at); }
  bool key(std::size_t at, std::string name) override {
    if (!stopped_) builder_.key(std::move(name), cursor_.at(at));
    return true;
  }
  void end_object() override { close(); }
  void stopped(std::size_t at, std::string_view why) override {
    // An unclosed string is reported where it began, which the cursor has passed.
    if (!stopped_) {
      diagnostics_.error(Code::WORKFLOW_SYNTAX, PlaceCursor(text_, file_).at(at), std::string(why),
                         what_to_type(at));
    }
  }

  std::optional<SyntaxNode> take() {
    if (stopped_) return std::nullopt;
    return builder_.take();
  }

 private:
  SyntaxNode* add(json::Type type, std::size_t at) {
    SyntaxNode* node = stopped_ ? nullptr : builder_.scalar(cursor_.at(at));
    if (node == nullptr)
      stopped_ = true;
    else
      node->type = type;
    return node;
  }
  std::string what_to_type(std::size_t at) const {
    const std::string_view rest = text_.substr(std::min(at, text_.size()));
    const std::string_view before = trimmed(text_.substr(0, std::min(at, text_.size())));
    if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#')) {
      return "JSON takes no comments; a file of the same text as YAML does";
    }
    if (before.ends_with(',') && (rest.starts_with(']') || rest.starts_with('}'))) {
      return "remove the comma before it";
    }
    if (rest.starts_with('\'')) return "write texts between double quotes";
    return {};
  }
  void open(json::Type type, std::size_t at) {
    if (!stopped_) stopped_ = !builder_.open(type, cursor_.at(at));
  }
  void close() {
    if (!stopped_) builder_.close();
  }

  std::string_view text_;
  std::uint32_t file_;
  Diagnostics& diagnostics_;
  PlaceCursor cursor_;
  TreeBuilder builder_;
  bool stopped_ = false;
};

}  // namespace

std::optional<SyntaxNode> read_json(std::string_view text, std::uint32_t file,
                                    Diagnostics& diagnostics) {
  Listener listener(text, file, diagnostics);
  // One level more than the builder takes, so that the builder is the one to say so.
  const json::ReadLimits bounds{.bytes_max = limits::workflow_bytes_max,
                                .depth_max = limits::workflow_depth_max + 1};
  if (!json::read(text, bounds, listener)) return std::nullopt;
  return listener.take();
}

}  // namespace baton::workflow
