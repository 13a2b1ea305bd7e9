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
  auto unit = std::make_shared<UnitOptions>();
  CLI::App* worker = commands.add("grade-unit", "what ladder grade starts for each unit of work", "",
                                  [unit](Context& context) { return run_unit(context, *unit); });
  worker->group("");  // not for people
  worker->add_option("work", unit->work)->required();
  worker->add_option("keys", unit->keys)->required();
  worker->add_option("--cores", unit->cores);
  worker->add_option("--parent", unit->parent);
}

}  // namespace ladder::cli
