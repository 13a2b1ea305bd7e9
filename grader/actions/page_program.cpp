#include "grader/actions/page_program.h"

#include "grader/platform/failure.h"
#include "grader/platform/process/this_program.h"

namespace ladder::cli {

std::vector<std::string> page_program(const Project& project, const std::vector<std::string>& words) {
  std::error_code ignored;
  const std::filesystem::path self = this_program();
  std::filesystem::path program = self.parent_path() / "ladder-serve";  // of a build; a package has it apart
  if (!std::filesystem::exists(program, ignored)) program = project.binary("ladder-serve");
  if (!std::filesystem::exists(program, ignored))
    throw Failure(ExitCode::environment, "this build has no page: libevent and cmark-gfm were not there",
                  "./ladder setup --page installs them and builds it.");
  std::vector<std::string> argv = {program.string(), "--ladder", self.string()};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

}  // namespace ladder::cli
