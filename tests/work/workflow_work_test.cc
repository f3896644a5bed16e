// Compiling what any author wrote: a project brings its own workflows.

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "counted_work.h"
#include "state/mentions.h"
#include "workflow/compile.h"
#include "workflow/testing/compile_alone.h"
#include "workflow/text/expression.h"

namespace baton::work {
namespace {

using Run = std::function<void()>;

Run compile(std::string text, std::string_view name = "w.yaml") {
  return [text = std::move(text), name = std::string(name)] {
    use(workflow::compile_alone({name, text}));
  };
}

/// One line of a text for each number.
template <class Line>
std::string lines(std::size_t size, const Line& line) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += line(i);
  return out;
}

constexpr std::string_view head = "id: demo\nname: Demo\n";
constexpr std::string_view one_step = "steps:\n  - {id: a, prompt: p}\n";

Run compile_steps(std::size_t size) {
  return compile(cat(head, "steps:\n", lines(size, [](std::size_t i) {
                       return cat("  - {id: ", key_of(i), ", prompt: do it}\n");
                     })));
}
Run compile_needs(std::size_t size) {
  return compile(cat(head, "steps:\n", lines(size, [](std::size_t i) {
                       return cat("  - {id: ", key_of(i), ", prompt: do it, dependencies: [",
                                  i == 0 ? std::string() : key_of(i - 1), "]}\n");
                     })));
}
Run compile_inputs(std::size_t size) {
  return compile(cat(head, one_step, "inputs:\n", lines(size, [](std::size_t i) {
                       return cat("  ", key_of(i), ": {type: string}\n");
                     })));
}
Run compile_state_fields(std::size_t size) {
  return compile(cat(head, one_step, "default_state:\n  raw:\n",
                     lines(size, [](std::size_t i) { return cat("    ", key_of(i), ": 1\n"); }),
                     "state_schema:\n  raw:\n", lines(size, [](std::size_t i) {
                       return cat("    ", key_of(i), ": integer\n");
                     })));
}
Run compile_updates(std::size_t size) {
  return compile(cat(head, "default_state:\n  raw: {x: {}}\nsteps:\n",
                     "  - id: a\n    prompt: p\n    state_updates:\n",
                     lines(size, [](std::size_t i) {
                       return cat("      - {path: raw.x.", key_of(i), ", value: 1}\n");
                     })));
}
Run compile_a_schema(std::size_t size) {
  return compile(cat(head, "steps:\n  - id: a\n    prompt: p\n    validationCriteria:\n",
                     "      type: schema\n      schema:\n        properties:\n",
                     lines(size, [](std::size_t i) {
                       return cat("          ", key_of(i), ": {type: string}\n");
                     })));
}
/// Each field needs the one behind it, so that no order of the file helps.
Run compile_computed_fields(std::size_t size) {
  return compile(cat(head, one_step, "default_state:\n  raw: {x: 1}\nstate_schema:\n  computed:\n",
                     lines(size, [size](std::size_t i) {
                       return cat(
                           "    f", 1'000'000 + i, ": {from: ",
                           i + 1 == size ? std::string("raw.x") : cat("computed.f", 1'000'001 + i),
                           ", transform: input}\n");
                     })));
}
Run compile_tasks(std::size_t size) {
  return compile(cat(head, one_step, "sub_agent_tasks:\n", lines(size, [](std::size_t i) {
                       return cat("  ", key_of(i), ": {description: d, prompt_template: p}\n");
                     })));
}
Run compile_unknown_names(std::size_t size) {
  return compile(cat(head, "default_state:\n  raw:\n",
                     lines(size, [](std::size_t i) { return cat("    ", key_of(i), ": 1\n"); }),
                     "steps:\n  - id: a\n    prompt: \"",
                     lines(size, [](std::size_t i) { return cat("{{ u", key_of(i), " }} "); }),
                     "\"\n"));
}
Run compile_expressions_of_one_text(std::size_t size) {
  return compile(cat(head, "steps:\n  - id: a\n    prompt: \"",
                     lines(size, [](std::size_t i) { return cat("{{ ", key_of(i), " }} "); }),
                     "\"\n"));
}
/// None of them is written in the file as it reads.
Run compile_escaped_expressions(std::size_t size) {
  return compile(cat(
      head, "steps:\n  - id: a\n    prompt: \"",
      lines(size, [](std::size_t i) { return cat("{{ \\\"", key_of(i), "\\\" }} "); }), "\"\n"));
}
Run compile_one_long_line(std::size_t size) {
  return compile(
      cat(R"({"id":"demo","name":"Demo","metaGuidance":[)",
          lines(size,
                [](std::size_t i) { return cat(i == 0 ? "" : ",", "\"{{ ", key_of(i), " }}\""); }),
          R"(],"steps":[{"id":"a","prompt":"p"}]})"),
      "w.json");
}
Run compile_unknown_keys(std::size_t size) {
  return compile(
      cat(head, one_step, lines(size, [](std::size_t i) { return cat(key_of(i), ": 1\n"); })));
}
Run compile_functions(std::size_t size) {
  return compile(
      cat(head, "functionDefinitions:\n",
          lines(size,
                [](std::size_t i) { return cat("  - {name: ", key_of(i), ", definition: d}\n"); }),
          "steps:\n  - id: a\n    prompt: p\n    functionReferences:\n",
          lines(size, [](std::size_t i) { return cat("      - ", key_of(i), "()\n"); })));
}
Run compile_unknown_features(std::size_t size) {
  return compile(
      cat(head, "features:\n",
          lines(size, [](std::size_t i) { return cat("  - ", key_of(i), "\n"); }), "steps:\n",
          lines(100, [](std::size_t i) { return cat("  - {id: s", i, ", prompt: p}\n"); })));
}
Run compile_unknown_assessments(std::size_t size) {
  return compile(cat(head, "steps:\n  - id: a\n    prompt: p\n    assessmentRefs:\n",
                     lines(size, [](std::size_t i) { return cat("      - ", key_of(i), "\n"); })));
}
Run shape_of_steps(std::size_t size) {
  workflow::CompiledWorkflow made;
  for (std::size_t i = size; i-- > 0;) {
    workflow::Step step = workflow::prompt_step(key_of(i), "t", "p", false);
    if (i > 0) step.dependencies = {key_of(i - 1)};
    made.steps.push_back(std::move(step));
  }
  return [made] { use(workflow::shape_of(made)); };
}

template <class Piece>
Run names_of(std::size_t size, const Piece& piece) {
  return [code = lines(size, piece)] {
    use(workflow::free_names(code));
    use(state::mentions_of(code));
  };
}
Run names_of_words(std::size_t size) {
  return names_of(size, [](std::size_t i) { return cat(key_of(i), " + "); });
}
Run names_of_arrows(std::size_t size) {
  return names_of(size, [](std::size_t i) { return cat(key_of(i), ") => "); });
}
Run names_of_functions(std::size_t size) {
  return names_of(size, [](std::size_t i) { return cat("function ", key_of(i), ' '); });
}
Run names_of_declarations(std::size_t size) {
  return names_of(size, [](std::size_t i) { return cat("const ", key_of(i), ' '); });
}
Run names_of_braces(std::size_t size) {
  return names_of(size, [](std::size_t i) { return cat(key_of(i), "} "); });
}

constexpr std::size_t many = 1'500;
constexpr Operation operations[] = {
    {"steps", 400, compile_steps},
    {"steps_that_need_each_other", 400, compile_needs},
    {"inputs", many, compile_inputs},
    {"fields_of_the_state", many, compile_state_fields},
    {"updates_of_a_step", many, compile_updates},
    {"a_schema", many, compile_a_schema},
    {"computed_fields_that_need_each_other", many, compile_computed_fields},
    {"tasks", many, compile_tasks},
    {"names_that_are_not_declared", many, compile_unknown_names},
    {"the_expressions_of_one_text", many, compile_expressions_of_one_text},
    {"expressions_that_are_written_with_escapes", many, compile_escaped_expressions},
    {"one_long_line", many, compile_one_long_line},
    {"keys_that_are_not_known", many, compile_unknown_keys},
    {"functions", many, compile_functions},
    {"features_that_are_not_known", many, compile_unknown_features},
    {"assessments_that_are_not_known", many, compile_unknown_assessments},
    {"the_shape_of_its_steps", many, shape_of_steps},
    {"names_in_code", many, names_of_words},
    {"arrows_in_code", many, names_of_arrows},
    {"functions_in_code", many, names_of_functions},
    {"declarations_in_code", many, names_of_declarations},
    {"braces_in_code_that_close_nothing", many, names_of_braces},
};

class WorkflowWork : public ::testing::TestWithParam<Operation> {};

// Enforces: G9
TEST_P(WorkflowWork, is_about_linear_in) { expect_about_linear(GetParam()); }
INSTANTIATE_TEST_SUITE_P(compiling, WorkflowWork, ::testing::ValuesIn(operations),
                         [](const auto& each) { return name_of(each); });

// Enforces: G9
TEST(workflow_work, template_literals_inside_one_another_are_read_to_a_depth) {
  const auto nested = [](std::size_t depth) {
    std::string code = "name";
    for (std::size_t i = 0; i < depth; ++i) code = cat("`${", code, "}`");
    return code;
  };
  // Each is an entry of its own, and so is the substitution in it.
  constexpr std::size_t most = limits::workflow_depth_max / 2;
  EXPECT_EQ(state::mentions_of(nested(most)).size(), 1u);
  EXPECT_EQ(state::mentions_of(nested(most))[0].name, "name");
  // Deeper, all that looks like a name counts as one: nothing that a script may read is left out.
  const auto deep = state::mentions_of(nested(100'000));
  ASSERT_FALSE(deep.empty());
  EXPECT_EQ(deep.back().name, "name");
}

}  // namespace
}  // namespace baton::work
