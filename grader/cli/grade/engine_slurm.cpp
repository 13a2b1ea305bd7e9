#include "grader/cli/failure.h"
#include "grader/cli/grade/engine.h"
namespace ladder::cli::grade {
void run_slurm(const Run&, const std::vector<std::string>&, const SlurmOptions&, const ProgressSink&) {
  throw Failure(ExitCode::environment, "no");
}
}  // namespace ladder::cli::grade
