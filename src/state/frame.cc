#include "state/frame.h"

#include <map>

#include "base/json/fields.h"

namespace baton::state {
namespace {

/// The field of that name when one included frame has it, and no other.
const Tree* find_included(const Frame& frame, std::string_view name) {
  const Tree* found = nullptr;
  for (std::size_t at = 0; at < frame.included.size(); ++at) {
    const Tree* here = frame.included.at(at)->find(name);
    if (here == nullptr) continue;
    if (found != nullptr) return nullptr;
    found = here;
  }
  return found;
}

/// Every field of every included frame.
template <class Take>
void each_included(const Frame& frame, const Take& take) {
  for (std::size_t step = 0; step < frame.included.size(); ++step) {
    const Tree& fields = *frame.included.at(step);
    for (std::size_t at = 0; at < fields.size() && fields.is_object(); ++at) {
      take(fields.key_at(at), *fields.at(at));
    }
  }
}

std::optional<Tree> inside(const Tree* found, std::span<const std::string> segments) {
  return found == nullptr ? std::nullopt : found->get(segments);
}

/// From weakest to strongest.
constexpr const Tree Frame::* flat_order[] = {&Frame::included, &Frame::inputs, &Frame::state,
                                              &Frame::raw, &Frame::computed};

struct TierName {
  std::string_view name;
  Tree Frame::* tier;
};
constexpr TierName tiers[] = {{"raw", &Frame::raw},
                              {"state", &Frame::state},
                              {"computed", &Frame::computed},
                              {"inputs", &Frame::inputs},
                              {"included", &Frame::included}};

}  // namespace

const Tree* find_flat(const Frame& frame, std::string_view name) {
  for (const Tree* tier :
       {&frame.computed, &frame.raw, &frame.state, &frame.inputs, &frame.included}) {
    if (const Tree* found = tier->find(name)) return found;
  }
  return find_included(frame, name);
}

Tree flattened(const Frame& frame) {
  Tree out = Tree::object();
  std::map<std::string_view, std::size_t> frames_with;  // a name, of the included ones
  each_included(frame, [&](std::string_view name, const Tree&) { ++frames_with[name]; });
  each_included(frame, [&](std::string_view name, const Tree& value) {
    if (frames_with[name] == 1) out = out.with_member(name, value);
  });
  for (const Tree Frame::* tier : flat_order) {
    const Tree& fields = frame.*tier;
    for (std::size_t at = 0; at < fields.size(); ++at) {
      out = out.with_member(fields.key_at(at), *fields.at(at));
    }
  }
  return out;
}

std::optional<Tree> read(const Frame& frame, const Path& path) {
  const std::span<const std::string> segments = path.segments;
  switch (path.root) {
    case Root::raw: {
      const bool is_input = !segments.empty() && frame.raw.find(segments[0]) == nullptr &&
                            frame.inputs.find(segments[0]) != nullptr;
      return is_input ? frame.inputs.get(segments) : frame.raw.get(segments);
    }
    case Root::state: return frame.state.get(segments);
    case Root::computed: return frame.computed.get(segments);
    case Root::inputs: return frame.inputs.get(segments);
    case Root::this_frame:
    case Root::global:
      if (segments.empty()) return flattened(frame);
      return inside(find_flat(frame, segments[0]), segments.subspan(1));
    case Root::loop: break;
  }
  return std::nullopt;
}

json::Object to_json(const Frame& frame) {
  json::Object out;
  for (const TierName& each : tiers) {
    const Tree& tier = frame.*each.tier;
    if (tier.size() > 0) out.set(each.name, tier.to_json());
  }
  return out;
}

Result<Frame> frame_from_json(const json::Value& value) {
  json::Fields fields(value, "the state of a frame", Code::STORE_CORRUPT);
  Frame frame;
  for (const TierName& each : tiers) {
    if (!fields.has(each.name)) continue;
    frame.*each.tier = Tree::from(json::Value(*TRY(fields.object(each.name))));
  }
  TRY(fields.done());
  return frame;
}

}  // namespace baton::state
