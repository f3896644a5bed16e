#include "cli/config_file.h"

#include <yaml.h>

#include <algorithm>
#include <memory>

#include "base/text.h"

namespace baton::cli {
namespace {

/// One event of libyaml, freed with its owner.
class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  yaml_event_t* get() { return &event_; }
  yaml_event_type_t type() const { return event_.type; }
  std::size_t line() const { return event_.start_mark.line + 1; }
  const yaml_event_t& raw() const { return event_; }

  std::string text() const {
    const auto& scalar = event_.data.scalar;
    return {reinterpret_cast<const char*>(scalar.value), scalar.length};
  }

 private:
  yaml_event_t event_{};
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : path_(path) {
    ASSERT(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Reader() { yaml_parser_delete(&parser_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Result<std::vector<Given>> read() {
    TRY(expect_next(YAML_STREAM_START_EVENT));
    const auto document = TRY(next());
    if (document->type() == YAML_STREAM_END_EVENT) return given_;
    const auto& start = document->raw().data.document_start;
    if (start.version_directive != nullptr ||
        start.tag_directives.start != start.tag_directives.end) {
      return refuse(document->line(), "directives are not read here");
    }
    const auto top = TRY(next());
    if (is_empty_scalar(*top)) {
      TRY(expect_next(YAML_DOCUMENT_END_EVENT));
    } else {
      if (top->type() != YAML_MAPPING_START_EVENT) {
        return refuse(top->line(), "settings are written as 'name: value'");
      }
      TRY(read_mapping());
      TRY(expect_next(YAML_DOCUMENT_END_EVENT));
    }
    const auto end = TRY(next());
    if (end->type() != YAML_STREAM_END_EVENT) {
      return refuse(end->line(), "a second document is not read here");
    }
    return std::move(given_);
  }

 private:
  std::unexpected<Error> refuse(std::size_t line, std::string_view problem) const {
    return fail(Code::CONFIG_INVALID, cat(path_, ':', line, ": ", problem));
  }

  static bool is_empty_scalar(const Event& event) {
    return event.type() == YAML_SCALAR_EVENT && event.raw().data.scalar.length == 0 &&
           event.raw().data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  }

  /// The next event; anchors, aliases and tags are refused here, so nobody else sees one.
  Result<std::unique_ptr<Event>> next() {
    auto event = std::make_unique<Event>();
    if (yaml_parser_parse(&parser_, event->get()) != 1) {
      const std::string_view problem = parser_.problem == nullptr ? "not YAML" : parser_.problem;
      return refuse(parser_.problem_mark.line + 1, problem);
    }
    const yaml_event_t& raw = event->raw();
    const unsigned char* anchor = nullptr;
    const unsigned char* tag = nullptr;
    if (raw.type == YAML_ALIAS_EVENT) return refuse(event->line(), "aliases are not read here");
    if (raw.type == YAML_SCALAR_EVENT) {
      anchor = raw.data.scalar.anchor;
      tag = raw.data.scalar.tag;
    } else if (raw.type == YAML_SEQUENCE_START_EVENT) {
      anchor = raw.data.sequence_start.anchor;
      tag = raw.data.sequence_start.tag;
    } else if (raw.type == YAML_MAPPING_START_EVENT) {
      anchor = raw.data.mapping_start.anchor;
      tag = raw.data.mapping_start.tag;
    }
    if (anchor != nullptr) return refuse(event->line(), "anchors are not read here");
    if (tag != nullptr) return refuse(event->line(), "tags are not read here");
    return event;
  }

  Result<void> expect_next(yaml_event_type_t type) {
    const auto event = TRY(next());
    if (event->type() != type) return refuse(event->line(), "settings are a flat list");
    return {};
  }

  Result<void> read_mapping() {
    for (;;) {
      const auto key = TRY(next());
      if (key->type() == YAML_MAPPING_END_EVENT) return {};
      if (key->type() != YAML_SCALAR_EVENT) {
        return refuse(key->line(), "the name of a setting is a word");
      }
      Given given{key->text(), {}, cat(path_, ':', key->line())};
      if (std::ranges::count(given_, given.name, &Given::name) > 0) {
        return refuse(key->line(), cat("'", given.name, "' is set twice"));
      }
      TRY(read_value(given));
      given_.push_back(std::move(given));
    }
  }

  Result<void> read_value(Given& given) {
    const auto value = TRY(next());
    if (value->type() == YAML_SEQUENCE_START_EVENT) {
      for (;;) {
        const auto item = TRY(next());
        if (item->type() == YAML_SEQUENCE_END_EVENT) return {};
        TRY(add_scalar(given, *item));
      }
    }
    return add_scalar(given, *value);
  }

  Result<void> add_scalar(Given& given, const Event& event) {
    if (event.type() != YAML_SCALAR_EVENT) {
      return refuse(event.line(), cat("'", given.name, "' takes a value or a list of values"));
    }
    if (is_empty_scalar(event)) return refuse(event.line(), cat("'", given.name, "' has no value"));
    given.values.push_back(event.text());
    return {};
  }

  const std::string& path_;
  yaml_parser_t parser_{};
  std::vector<Given> given_;
};

}  // namespace

Result<std::vector<Given>> read_config(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

}  // namespace baton::cli
