#include "grader/grade/sandbox/blame.h"

#include "grader/build/compiler_output.h"

namespace ladder::cli::grade {
Blame blame(const CompilerCall& call, bool made, const Limits& limits) {
  if (!call.begun) return Blame::machine;
  if (call.status.ok()) return made ? Blame::nobody : Blame::unknown;
  if (call.status.cpu_seconds >= limits.compile_seconds) return Blame::file;
  if (call.timed_out) return Blame::machine;
  return says_where(call.lines) && !tells_of_trouble(call.lines) ? Blame::file : Blame::unknown;
}

std::string trouble(const CompilerCall& call) {
  if (call.timed_out)
    return "the machine was so busy that the compiler did not get the CPU time that it may have";
  const std::string first = call.lines.empty() ? std::string() : ": " + call.lines.front();
  return (call.begun ? "the compiler did not work" : "the compiler's cell could not be made") + first;
}

}  // namespace ladder::cli::grade
