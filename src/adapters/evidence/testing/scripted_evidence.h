#pragma once
// An EvidenceReader for tests that looks at nothing: what is to be seen is written down before. Any
// thread once it is set up.

#include <map>

#include "ports/evidence_reader.h"

namespace baton::adapters {

class ScriptedEvidence final : public ports::EvidenceReader {
 public:
  /// What is seen from now on at a path or commit, or of a command by its first argument.
  void write(run::Probe::Kind kind, std::string what, run::ProbeResult seen) {
    seen_[{kind, std::move(what)}] = std::move(seen);
  }

  std::vector<run::ProbeResult> look(const std::string&, std::span<const run::Probe> looks,
                                     ports::Commands commands) override {
    std::vector<run::ProbeResult> out;
    for (const run::Probe& each : looks) {
      const bool is_command = each.kind == run::Probe::Kind::command;
      const auto found = seen_.find({each.kind, is_command ? each.argv.front() : each.what});
      out.push_back(found == seen_.end() ? run::ProbeResult() : found->second);
      if (!each.with_text) out.back().text.reset();
      if (!is_command) continue;
      if (ports::TrustVerdict verdict = commands.judge(each.argv); !verdict.is_trusted) {
        out.back() = {};
        out.back().kind = run::ProbeResult::Kind::untrusted;
        out.back().said = std::move(verdict.reason);
      }
    }
    return out;
  }

 private:
  std::map<std::pair<run::Probe::Kind, std::string>, run::ProbeResult> seen_;
};

}  // namespace baton::adapters
