#include "surface/surfaces.h"

#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/planner/words.h"
#include "surface/prompts/prompts.h"
#include "surface/rail/tools.h"
#include "surface/rail/words.h"

namespace baton::surface {
namespace {

using prompts::workflow_prompt;

constexpr Surface all[] = {
    {.name = "rail",
     .tools = [](const SurfaceSources& s) { return rail::tools(s.engine); },
     .prompts =
         [](const SurfaceSources& s) {
           return std::vector{workflow_prompt(s.engine, rail::prompt_words())};
         },
     .say = rail::say,
     .instructions = rail::instructions},
    {.name = "atomic",
     .tools = [](const SurfaceSources& s) { return atomic::tools(s.engine); },
     .prompts =
         [](const SurfaceSources& s) {
           return std::vector{workflow_prompt(s.engine, atomic::prompt_words()),
                              prompts::sub_agent_prompt(s.engine)};
         },
     .say = atomic::say,
     .instructions = atomic::instructions},
    {.name = "planner",
     .tools = [](const SurfaceSources& s) { return planner::tools(s.planner); },
     .prompts =
         [](const SurfaceSources& s) { return std::vector{planner::plan_prompt(s.planner)}; },
     .say = planner::say,
     .instructions = planner::instructions}};

}  // namespace

std::span<const Surface> surfaces() { return all; }

}  // namespace baton::surface
