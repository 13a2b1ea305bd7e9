// ladder grade-unit: what ladder grade starts for each unit of work.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>

#include "grader/apps/ladder/commands/commands.h"
#include "grader/grade/engines/unit.h"
#include "grader/grade/sandbox/lease.h"
#include "grader/platform/failure.h"

namespace ladder::cli {
namespace {

using namespace ladder::cli::grade;

struct UnitOptions {
  std::string work;
  std::vector<std::string> keys;
  unsigned cores = 0;  ///< to bind to; 0: to none
  int parent = 0;
};

/// What the engines start. Its own messages are the engine's log.
ExitCode run_unit(Context& context, const UnitOptions& options) {
  if (options.parent > 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != options.parent) return ExitCode::interrupted;
  }
  const Grading grading = load_grading(options.work);
  if (options.cores > 0) bind_to_cores(options.cores);
  ExitCode worst = ExitCode::passed;
  for (const std::string& key : options.keys) {
    try {
      do_unit(grading, context.course(), key);
    } catch (const Failure& failure) {
      if (failure.code() == ExitCode::interrupted || options.keys.size() == 1) throw;
      std::fprintf(stderr, "%s: %s\n", key.c_str(), failure.what());
      worst = failure.code();
    }
  }
  return worst;
}

}  // namespace

void add_grade_unit(Commands& commands) {
  const auto [command, options] =
      commands.add("grade-unit", "what ladder grade starts for each unit of work", "", run_unit);
  command->group("");  // not for people
  command->add_option("work", options.work)->required();
  command->add_option("keys", options.keys)->required();
  command->add_option("--cores", options.cores);
  command->add_option("--parent", options.parent);
}

}  // namespace ladder::cli
