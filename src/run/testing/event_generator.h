#pragma once
// Values and events for tests, drawn from a source of choices (see
// base/testing/json_generator.h). Only tests include this; values only.

#include "base/testing/json_generator.h"
#include "run/log/description.h"
#include "run/testing/id_generator.h"

namespace baton::run::testing {

/// A value that its canonical text preserves.
template <class Choose>
json::Value any_exact_value(Choose& choose, std::size_t depth = 3) {
  json::Value value = json::testing::any_value(choose, depth);
  const auto text = json::canonical(value);
  return text && MUST(json::parse(*text)) == value ? value : json::Value(json::print(value));
}

template <class Choose>
json::Object any_exact_object(Choose& choose) {
  json::Object out;
  for (std::size_t left = choose(4); left > 0; --left) {
    out.set(json::testing::any_string(choose), any_exact_value(choose, 2));
  }
  return out;
}

template <class Choose>
std::vector<std::string> any_strings(Choose& choose) {
  std::vector<std::string> out;
  for (std::size_t left = choose(4); left > 0; --left) {
    out.push_back(json::testing::any_string(choose));
  }
  return out;
}

template <class Choose>
std::vector<CursorFrame> any_frames(Choose& choose) {
  std::vector<CursorFrame> frames;
  for (std::size_t left = choose(3); left > 0; --left) {
    CursorFrame frame;
    frame.block = static_cast<std::int64_t>(choose(2));
    frame.iteration = static_cast<std::int64_t>(choose(3));
    frame.index = static_cast<std::int64_t>(choose(3));
    if (choose(3) == 0) frame.decision = static_cast<LoopDecision>(choose(2));
    if (choose(3) == 0) {
      frame.pinned = std::make_shared<const json::Value>(any_exact_value(choose, 2));
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

template <class Choose>
std::vector<state::Write> any_writes(Choose& choose) {
  std::vector<state::Write> out;
  for (std::size_t left = choose(3); left > 0; --left) {
    out.push_back({{state::Root::raw, {json::testing::any_string(choose)}},
                   static_cast<state::Operation>(choose(6)),
                   any_exact_value(choose)});
  }
  return out;
}

/// Of fields that any frame has room for, so that they can be replayed.
template <class Choose>
state::Delta any_delta(Choose& choose) {
  const auto text = [&] { return json::testing::any_string(choose); };
  state::Delta out;
  for (std::size_t left = choose(3); left > 0; --left) {
    out.sets.push_back({{state::Root::raw, {std::string(1, static_cast<char>('a' + choose(4)))}},
                        any_exact_value(choose)});
  }
  for (std::size_t left = choose(3); left > 0; --left) {
    state::Computation computed{text(), {},     static_cast<state::ComputeOutcome>(choose(3)),
                                text(), text(), 0};
    if (choose(3) != 0) computed.output = any_exact_value(choose);
    computed.elapsed_us = static_cast<std::int64_t>(choose(1'000));
    out.computed.push_back(std::move(computed));
  }
  return out;
}

template <class Choose>
Baseline any_baseline(Choose& choose) {
  Baseline out;
  for (std::size_t left = choose(3); left > 0; --left) {
    BaselineEntry trace{static_cast<Probe::Kind>(choose(5)), json::testing::any_string(choose), {}};
    trace.seen.kind = static_cast<ProbeResult::Kind>(choose(11));
    if (trace.seen.kind == ProbeResult::Kind::file) {
      trace.seen.bytes = static_cast<std::int64_t>(choose(9));
      trace.seen.digest = any_hash(choose);
    }
    if (choose(4) == 0) {
      trace.seen.known = CommitSet{choose(2) == 0 ? 20 : 32, {}, {}};
      const auto bytes = static_cast<std::size_t>(trace.seen.known->id_bytes);
      trace.seen.known->named.assign(bytes * choose(3), static_cast<char>(choose(256)));
      trace.seen.known->others.assign(bytes * choose(3), static_cast<char>(choose(256)));
    }
    if (choose(4) == 0) trace.seen.place = json::testing::any_string(choose);
    if (choose(4) == 0) trace.seen.alternates = any_hash(choose);
    if (choose(4) == 0) trace.seen.shallow = any_hash(choose);
    if (choose(4) == 0) trace.seen.said = json::testing::any_string(choose);
    out.push_back(std::move(trace));
  }
  return out;
}

/// Draws whatever is described. Values that only one who decides would put together are among
/// them: any of them is written and read.
template <class Choose>
class Generator : public Visitor<Generator<Choose>> {
 public:
  explicit Generator(Choose& choose) : choose_(choose) {}

  template <Described T>
  T any() {
    T out;
    T::describe(out, *this);
    return out;
  }

  template <class T>
  void operator()(std::string_view key, T& field) {
    field = any_of<T>(key);
  }
  void unless_empty(std::string_view key, auto& field) {
    if (choose_(2) == 1) (*this)(key, field);
  }
  template <class T>
  void at_most(std::string_view, T& field, std::int64_t most) {
    field = static_cast<T>(choose_(static_cast<std::size_t>(most) + 1));
  }
  void delta(state::Delta& delta) { delta = any_delta(choose_); }
  template <class... Parts>
  void one_of(std::string_view, std::variant<Parts...>& either) {
    std::size_t left = choose_(sizeof...(Parts));
    (void)((left-- == 0 && (either = any<Parts>(), true)) || ...);
  }

 private:
  template <class T>
  T any_of(std::string_view key) {
    if constexpr (Described<T>) {
      return any<T>();
    } else if constexpr (Named<T>) {
      return static_cast<T>(choose_(names_of<T>.size()));
    } else if constexpr (std::is_same_v<T, bool>) {
      return choose_(2) == 1;
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return static_cast<std::int64_t>(choose_(1'001));
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      return json::testing::any_bits(choose_);
    } else if constexpr (std::is_same_v<T, WallMs>) {
      return {static_cast<std::int64_t>(choose_(1u << 30)) - (1 << 29)};
    } else if constexpr (std::is_same_v<T, Sha256>) {
      return any_hash(choose_);
    } else if constexpr (requires { T::parse; }) {
      return any_id<T>(choose_);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return json::testing::any_string(choose_);
    } else if constexpr (std::is_same_v<T, json::Object>) {
      return any_exact_object(choose_);
    } else if constexpr (std::is_same_v<T, json::Value>) {
      if (key == "requirements") {
        return json::Array{json::Object{{"file_exists", json::testing::any_string(choose_)}}};
      }
      return any_exact_value(choose_);
    } else if constexpr (std::is_same_v<T, std::shared_ptr<const json::Value>>) {
      return std::make_shared<const json::Value>(json::Array{any_exact_value(choose_)});
    } else {
      return any_list<T>(key);
    }
  }

  template <class T>
  T any_list(std::string_view key) {
    if constexpr (is_optional<T>) {
      return any_of<typename T::value_type>(key);
    } else if constexpr (std::is_same_v<T, std::vector<CursorFrame>>) {
      return any_frames(choose_);
    } else if constexpr (std::is_same_v<T, std::vector<state::Write>>) {
      return any_writes(choose_);
    } else if constexpr (std::is_same_v<T, Baseline>) {
      return any_baseline(choose_);
    } else if constexpr (std::is_same_v<T, TextMap>) {
      TextMap out;
      for (std::string& each : any_strings(choose_)) out.emplace(each, each);
      return out;
    } else {
      T out;
      // A command has its program at least.
      for (std::size_t left = choose_(3) + (key == "argv" ? 1 : 0); left > 0; --left) {
        out.push_back(any_of<typename T::value_type>(key));
      }
      return out;
    }
  }

  Choose& choose_;
};

template <Described T, class Choose>
T any(Choose& choose) {
  T out = Generator<Choose>(choose).template any<T>();
  if constexpr (std::is_same_v<T, StateUpdated>) {
    // Of frames that a replay knows.
    out.frame = choose(3) == 0 ? "inc" : "";
    out.ended = choose(5) == 0 ? "inc" : "";
  }
  return out;
}

/// An event of one of the kinds from the `first` of the variant on.
template <class Choose, std::size_t... Index>
Event any_event_of(Choose& choose, std::size_t first, std::index_sequence<Index...>) {
  const std::size_t drawn = first + choose(sizeof...(Index) - first);
  Event out;
  (void)((Index == drawn &&
          (out = any<std::variant_alternative_t<Index, AnyEvent>>(choose), true)) ||
         ...);
  return out;
}

using EveryKind = std::make_index_sequence<std::variant_size_v<AnyEvent>>;

template <class Choose>
Event any_event(Choose& choose) {
  return any_event_of(choose, 0, EveryKind());
}

/// A fact recorded at `node`, of any kind.
template <class Choose>
Event any_fact(Choose& choose, const RunId& run, const NodeId& node) {
  const std::size_t first = Event(DecisionTraceAppended{}).index();
  Event out = any_event_of(choose, first, EveryKind());
  // What became of a command only follows its intent.
  if (std::holds_alternative<ProcessFinished>(out)) out = any<ProcessIntended>(choose);
  std::visit(
      [&](auto& fact) {
        if constexpr (requires { fact.run; }) fact.run = run;
        if constexpr (requires { fact.node; }) fact.node = node;
        if constexpr (requires { fact.gate.node; }) fact.gate.node = node;
      },
      out);
  return out;
}

}  // namespace baton::run::testing
