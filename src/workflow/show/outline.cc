#include "workflow/show/outline.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::workflow {
namespace {

/// The capability that a step does nothing but find out about; empty for other steps.
std::string_view probed_in(const Step& step) {
  const auto* prompt = step.as<PromptStep>();
  if (prompt == nullptr || !prompt->contract || !prompt->contract->capability) return {};
  return *prompt->contract->capability;
}

/// The probes that a workflow begins with, collapsed into a line; gives how many they are.
std::size_t add_probes(std::string& out, const std::vector<Step>& steps) {
  std::size_t count = 0;
  while (count < steps.size() && !probed_in(steps[count]).empty()) {
    out += cat(count == 0 ? "- (finds out first: " : ", ", probed_in(steps[count]));
    ++count;
  }
  if (count > 0) out += ")\n";
  return count;
}

void add_outline(std::string& out, std::span<const Step> steps, std::size_t depth) {
  for (const Step& step : steps) {
    out.append(depth * 2, ' ');
    out += cat("- ", step.id, "  ", name_of(step.kind()));
    if (step.title != step.id) out += cat("  \"", utf8::as_line(step.title), '"');
    for (const std::string& need : step.dependencies) {
      out += cat(&need == step.dependencies.data() ? "  after " : ", ", need);
    }
    if (step.run_condition) out += "  (if its condition is true)";
    out += '\n';
    for (const Block& block : step.blocks) {
      if (step.blocks.size() > 1) {
        out.append(depth * 2 + 2, ' ');
        out += cat(block.name, ":\n");
      }
      add_outline(out, block.steps, depth + (step.blocks.size() > 1 ? 2 : 1));
    }
  }
}

struct Edge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::string label;
};

/// Steps as numbered boxes, and what follows what.
class Graph {
 public:
  explicit Graph(const CompiledWorkflow& workflow) {
    labels_.emplace_back("start");
    const std::vector<std::size_t> ends = block(workflow.steps, {0}, "");
    labels_.emplace_back("end");
    for (const std::size_t end : ends) edges_.push_back({end, labels_.size() - 1, ""});
  }

  const std::vector<std::string>& labels() const { return labels_; }
  const std::vector<Edge>& edges() const { return edges_; }

 private:
  using Ends = std::vector<std::size_t>;

  /// Draws a block behind `from`; gives the boxes that it ends with.
  Ends block(const std::vector<Step>& steps, Ends from, const std::string& label) {
    const bool is_graph =
        std::ranges::any_of(steps, [](const Step& step) { return !step.dependencies.empty(); });
    if (is_graph) return graph(steps, from, label);
    std::string first = label;
    for (const Step& step : steps) {
      from = one(step, from, first);
      first.clear();
    }
    return from;
  }

  Ends graph(const std::vector<Step>& steps, const Ends& from, const std::string& label) {
    std::map<std::string, Ends> done;
    std::map<std::string, bool> is_needed;
    for (std::size_t round = 0; round < steps.size(); ++round) {
      for (const Step& step : steps) {
        if (done.contains(step.id)) continue;
        const bool is_first = step.dependencies.empty();
        Ends before = is_first ? from : Ends();
        bool ready = true;
        for (const std::string& name : step.dependencies) {
          const auto found = done.find(name);
          if (found == done.end()) {
            ready = false;
            break;
          }
          before.insert(before.end(), found->second.begin(), found->second.end());
          is_needed[name] = true;
        }
        if (ready) done[step.id] = one(step, before, is_first ? label : "");
      }
    }
    Ends ends;
    for (const auto& [id, last] : done) {
      if (!is_needed[id]) ends.insert(ends.end(), last.begin(), last.end());
    }
    return ends;
  }

  Ends one(const Step& step, const Ends& from, const std::string& label) {
    labels_.push_back(cat(utf8::as_line(step.title), "\n(", name_of(step.kind()), ')'));
    const std::size_t box = labels_.size() - 1;
    for (const std::size_t each : from) edges_.push_back({each, box, label});
    // About how a picture is drawn: branches part, rounds come back.
    if (step.kind() == StepKind::conditional) {
      Ends ends;
      bool has_else = false;
      for (const Block& each : step.blocks) {
        const Ends inner = block(each.steps, {box}, each.name);
        ends.insert(ends.end(), inner.begin(), inner.end());
        has_else = has_else || each.name == "else";
      }
      if (!has_else) ends.push_back(box);
      return ends;
    }
    for (const Block& each : step.blocks) {
      const Ends inner = block(each.steps, {box}, each.name);
      if (step.kind() == StepKind::include) return inner;
      for (const std::size_t end : inner) edges_.push_back({end, box, "again"});
    }
    return {box};
  }

  std::vector<std::string> labels_;
  std::vector<Edge> edges_;
};

/// Text inside double quotes of both languages.
std::string in_quotes(std::string_view text, std::string_view line_end) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"')
      out += line_end == "<br/>" ? "#quot;" : "\\\"";
    else if (c == '\\')
      out += line_end == "<br/>" ? "\\" : "\\\\";
    else if (c == '\n')
      out += line_end;
    else if (line_end == "<br/>" && c == '<')
      out += "#lt;";
    else if (line_end == "<br/>" && c == '>')
      out += "#gt;";
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

std::string outline_of(const CompiledWorkflow& workflow) {
  std::string out;
  const std::size_t probes = add_probes(out, workflow.steps);
  add_outline(out, std::span(workflow.steps).subspan(probes), 0);
  return out;
}

std::string mermaid_of(const CompiledWorkflow& workflow) {
  const Graph graph(workflow);
  std::string out = "flowchart TD\n";
  for (std::size_t i = 0; i < graph.labels().size(); ++i) {
    out += cat("  n", i, '[', in_quotes(graph.labels()[i], "<br/>"), "]\n");
  }
  for (const Edge& edge : graph.edges()) {
    out += cat("  n", edge.from, " --> ", edge.label.empty() ? "" : cat('|', edge.label, "| "), 'n',
               edge.to, '\n');
  }
  return out;
}

std::string dot_of(const CompiledWorkflow& workflow) {
  const Graph graph(workflow);
  std::string out = cat("digraph ", in_quotes(workflow.id, "\\n"), " {\n  node [shape=box];\n");
  for (std::size_t i = 0; i < graph.labels().size(); ++i) {
    out += cat("  n", i, " [label=", in_quotes(graph.labels()[i], "\\n"), "];\n");
  }
  for (const Edge& edge : graph.edges()) {
    out += cat("  n", edge.from, " -> n", edge.to,
               edge.label.empty() ? "" : cat(" [label=", in_quotes(edge.label, "\\n"), ']'), ";\n");
  }
  return out + "}\n";
}

}  // namespace baton::workflow
