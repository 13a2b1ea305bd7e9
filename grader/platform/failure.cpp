#include "grader/platform/failure.h"

namespace ladder::cli {

std::string exit_code_help() {
  return "Exit codes:\n"
         "  0    every rung asked for passed, but for those that this GPU cannot run (or the command did its "
         "work)\n"
         "  1    a rung failed, or a check found a violation\n"
         "  2    the command line was not understood, or no such lesson or rung\n"
         "  3    set-up or build trouble: compiler, runner, files\n"
         "  4    a mistake in ladder itself\n"
         "  130  interrupted\n";
}

}  // namespace ladder::cli
