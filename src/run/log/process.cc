#include "run/log/process.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/steps/command_output.h"

namespace baton::run {

ProcessFinished noted(const ProcessIntended& intended, const ProcessReport& report) {
  const ProcessResult& result = report.result;
  constexpr std::size_t most = limits::process_noted_bytes_max;
  ProcessFinished out;
  out.run = intended.run;
  out.intended = intended.node;
  out.problem = utf8::truncate(report.problem, most);
  out.end = result.end;
  out.code = result.code;
  out.output_bytes = static_cast<std::int64_t>(result.output.size());
  out.output_cut = result.output_cut;
  out.output = utf8::truncate(visible(std::string_view(result.output).substr(0, most)), most);
  const std::size_t from = result.errors.size() - std::min(most, result.errors.size());
  out.errors = utf8::truncate(visible(std::string_view(result.errors).substr(from)), most);
  return out;
}

}  // namespace baton::run
