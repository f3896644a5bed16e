// The rules for arrays and objects.

#include <algorithm>

#include "base/schema/evaluator.h"
#include "base/schema/value.h"
#include "base/text/text.h"

namespace baton::schema {
namespace {

using json::Value;

std::string item_count(std::size_t count) { return counted(count, "item", "items"); }
std::string property_count(std::size_t count) { return counted(count, "property", "properties"); }

/// Index of the rule of this name, or the number of rules.
std::size_t find_name(const std::vector<NameRule>& names, std::string_view name) {
  const auto found = std::ranges::lower_bound(names, name, {}, &NameRule::name);
  const bool here = found != names.end() && found->name == name;
  return here ? static_cast<std::size_t>(found - names.begin()) : names.size();
}

}  // namespace

// --- arrays ------------------------------------------------------------------------------------

bool Evaluator::array(const Node& node, const json::Array& array, const InstancePlace& at,
                      Seen* seen) {
  const ArrayRules& rules = *node.array;
  bool fits = true;
  if (array.size() < rules.items_min &&
      !keep(fits,
            report(node, "minItems", at,
                   cat("needs at least ", item_count(rules.items_min), ", has ", array.size())))) {
    return false;
  }
  if (array.size() > rules.items_max &&
      !keep(fits, report(node, "maxItems", at,
                         cat("may have at most ", item_count(rules.items_max), ", has ",
                             array.size())))) {
    return false;
  }
  if (!keep(fits, items(rules, array, at, seen))) return false;
  if (rules.unique && !keep(fits, unique(node, array, at))) return false;
  if (rules.contains != nullptr) keep(fits, contains(node, array, at, seen));
  return fits;
}

bool Evaluator::items(const ArrayRules& rules, const json::Array& array, const InstancePlace& at,
                      Seen* seen) {
  bool fits = true;
  const std::size_t prefix = rules.prefix.size();
  const std::size_t count = rules.items != nullptr ? array.size() : std::min(prefix, array.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Node& schema = i < prefix ? *rules.prefix[i] : *rules.items;
    if (seen != nullptr) seen->set(i);
    if (!keep(fits, node(schema, array[i], at.item(i), nullptr))) return false;
  }
  return fits;
}

bool Evaluator::unique(const Node& node, const json::Array& array, const InstancePlace& at) {
  if (array.size() < 2) return true;
  using Item = std::pair<std::string, std::size_t>;  // the key and its position
  std::vector<Item> order;
  order.reserve(array.size());
  for (const Value& item : array) {
    order.emplace_back(key_of(item), order.size());
    if (!spend(4 + order.back().first.size() / 4)) return false;  // sorting is most of the work
  }
  std::ranges::sort(order, [](const Item& a, const Item& b) {
    const int difference = a.first.compare(b.first);
    return difference != 0 ? difference < 0 : a.second < b.second;
  });
  const auto twin = std::ranges::adjacent_find(order, {}, &Item::first);
  if (twin == order.end()) return true;
  if (out_ == nullptr) return false;
  return report(node, "uniqueItems", at,
                cat("items ", twin->second, " and ", (twin + 1)->second,
                    " are equal, but items must differ"));
}

bool Evaluator::contains(const Node& node, const json::Array& array, const InstancePlace& at,
                         Seen* seen) {
  const ArrayRules& rules = *node.array;
  std::size_t found = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!fits_quietly(*rules.contains, array[i], at.item(i), nullptr)) continue;
    ++found;
    if (seen != nullptr) {
      seen->set(i);
    } else if (found >= rules.contains_min && rules.contains_max == unbounded) {
      return true;
    }
  }
  if (found < rules.contains_min) {
    return report(node, rules.contains_min == 1 ? "contains" : "minContains", at,
                  cat("needs at least ", item_count(rules.contains_min),
                      " of the form that \"contains\" asks for, has ", found));
  }
  if (found > rules.contains_max) {
    return report(node, "maxContains", at,
                  cat("may have at most ", item_count(rules.contains_max),
                      " of the form that \"contains\" asks for, has ", found));
  }
  return true;
}

// --- objects -----------------------------------------------------------------------------------

bool Evaluator::object(const Node& node, const Value& value, const InstancePlace& at, Seen* seen) {
  const ObjectRules& rules = *node.object;
  const json::Object& object = *value.if_object();
  bool fits = true;
  if (object.size() < rules.properties_min &&
      !keep(fits, report(node, "minProperties", at,
                         cat("needs at least ", property_count(rules.properties_min), ", has ",
                             object.size())))) {
    return false;
  }
  if (object.size() > rules.properties_max &&
      !keep(fits, report(node, "maxProperties", at,
                         cat("may have at most ", property_count(rules.properties_max), ", has ",
                             object.size())))) {
    return false;
  }
  Bits present(rules.names.size());
  if (!keep(fits, members(node, object, at, present, seen))) return false;
  if (rules.has_required) keep(fits, names(node, value, at, present, seen));
  return fits;
}

bool Evaluator::members(const Node& node, const json::Object& object, const InstancePlace& at,
                        Bits& present, Seen* seen) {
  const ObjectRules& rules = *node.object;
  if (!spend(object.size())) return false;
  bool fits = true;
  std::size_t i = 0;
  for (const json::Member& member : object) {
    const std::size_t rule = find_name(rules.names, member.key);
    bool looked_at = false;
    const InstancePlace inside = at.property(member.key);
    if (rule < rules.names.size()) {
      present.set(rule);
      if (const Node* schema = rules.names[rule].schema) {
        looked_at = true;
        if (!keep(fits, this->node(*schema, member.value, inside, nullptr))) return false;
      }
    }
    if (!keep(fits, this->member(node, member, inside, looked_at))) return false;
    if (looked_at && seen != nullptr) seen->set(i);
    ++i;
    if (rules.property_names != nullptr && !keep(fits, property_name(node, member.key, at))) {
      return false;
    }
  }
  return fits;
}

/// patternProperties, and additionalProperties when nothing else looked at the property.
bool Evaluator::member(const Node& node, const json::Member& member, const InstancePlace& at,
                       bool& looked_at) {
  const ObjectRules& rules = *node.object;
  bool fits = true;
  for (const PatternRule& rule : rules.patterns) {
    if (!matches(rule.pattern, member.key)) continue;
    looked_at = true;
    if (!keep(fits, this->node(*rule.schema, member.value, at, nullptr))) return false;
  }
  if (looked_at || rules.additional == nullptr) return fits;
  looked_at = true;
  if (rules.additional->fixed == false) {
    if (out_ == nullptr) return false;
    return report(node, "additionalProperties", at, unknown_property(node, member.key));
  }
  return this->node(*rules.additional, member.value, at, nullptr) && fits;
}

bool Evaluator::property_name(const Node& node, const std::string& name, const InstancePlace& at) {
  const Value value(name);
  const Node& schema = *node.object->property_names;
  if (fits_quietly(schema, value, at, nullptr)) return true;
  if (out_ == nullptr) return false;
  const Problems why = problems_of(schema, value, at);
  return report(node, "propertyNames", at,
                cat("the property name ", in_quotes(name),
                    " is not allowed: ", why.empty() ? "" : why.front().message));
}

bool Evaluator::names(const Node& node, const Value& value, const InstancePlace& at,
                      const Bits& present, Seen* seen) {
  const std::vector<NameRule>& rules = node.object->names;
  if (!spend(rules.size() / 16)) return false;
  bool fits = true;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const NameRule& rule = rules[i];
    if (!present.test(i)) {
      if (!rule.required) continue;
      if (out_ == nullptr) return false;
      const bool typed = rule.schema != nullptr && rule.schema->types != any_type;
      const std::string type = typed ? cat(" (", types_text(rule.schema->types), ')') : "";
      keep(fits, report(node, "required", at,
                        cat("missing required property ", in_quotes(rule.name), type)));
      continue;
    }
    if (!spend(rule.needs.size() / 16)) return false;
    for (const std::size_t other : rule.needs) {
      if (present.test(other)) continue;
      if (!keep(fits, report(node, "dependentRequired", at,
                             cat("property ", in_quotes(rule.name), " needs property ",
                                 in_quotes(rules[other].name), " beside it")))) {
        return false;
      }
    }
    for (const Node* dependent : rule.dependents) {
      if (!keep(fits, this->node(*dependent, value, at, seen))) return false;
    }
  }
  return fits;
}

bool Evaluator::unevaluated(const Node& node, const Value& value, const InstancePlace& at,
                            Seen& seen) {
  bool fits = true;
  if (node.array && node.array->unevaluated != nullptr && value.is_array()) {
    const json::Array& array = *value.if_array();
    const Node& rest = *node.array->unevaluated;
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (seen.test(i)) continue;
      const bool good = rest.fixed == false
                            ? report(node, "unevaluatedItems", at.item(i), "unexpected item")
                            : this->node(rest, array[i], at.item(i), nullptr);
      if (!keep(fits, good)) return false;
    }
    seen.set_all();
  }
  if (node.object && node.object->unevaluated != nullptr && value.is_object()) {
    const Node& rest = *node.object->unevaluated;
    std::size_t i = 0;
    for (const json::Member& member : *value.if_object()) {
      if (seen.test(i++)) continue;
      const InstancePlace inside = at.property(member.key);
      if (rest.fixed == false) {
        if (out_ == nullptr) return false;
        keep(fits,
             report(node, "unevaluatedProperties", inside, unknown_property(node, member.key)));
      } else if (!keep(fits, this->node(rest, member.value, inside, nullptr))) {
        return false;
      }
    }
    seen.set_all();
  }
  return fits;
}

}  // namespace baton::schema
