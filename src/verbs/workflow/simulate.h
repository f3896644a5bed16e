#pragma once
// Walks a workflow over every way that it can be made to take, with the engine that agents use: at
// each step all guesses of what the agent may send are tried, from the same point. Loops that
// run by a decision are followed for a few rounds, those that the state ends to their end.

#include <map>

#include "engine/engine.h"

namespace baton::verbs {

struct SimulateRequest {
  std::string workflow;
  json::Object inputs;
  std::int64_t rounds = 2;  // of a loop that runs by a decision, from 1
  std::size_t points_max = limits::simulated_points_max;
};

struct Simulation {
  std::int64_t points = 0;                   // different ones: a step with what is known there
  std::int64_t ways = 0;                     // to an end, at most limits::simulated_ways_max
  std::vector<std::string> longest;          // the steps of the longest of them
  std::vector<std::string> made_up;          // required inputs that were not given
  std::vector<std::string> unreachable;      // steps that never became open
  std::vector<std::string> not_followed;     // that lie in or behind loops that were cut
  std::map<std::string, std::string> stuck;  // steps without a way on, and what was said
  std::map<std::string, std::string> needs;  // steps whose output no guess satisfied
  std::vector<std::string> cut;              // loops that were not followed further
  bool is_whole = true;                      // false: there were more points than points_max

  bool is_sound() const { return unreachable.empty() && stuck.empty(); }
};

/// The runs stay in the engine's store: give it one of its own. INVALID_INPUT for inputs that no
/// run can be started with.
Result<Simulation> simulate(engine::Engine& engine, const SimulateRequest& request);

}  // namespace baton::verbs
