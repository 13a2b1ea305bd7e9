#include "grader/actions/page_program.h"

#include "grader/platform/failure.h"

namespace ladder::cli {

std::vector<std::string> page_program(const Project& project, const std::vector<std::string>& words) {
  const std::filesystem::path program = project.binary("ladder-serve");
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored))
    throw Failure(ExitCode::environment, "this build has no page: libevent and cmark-gfm were not there",
                  "./ladder setup --page installs them and builds it.");
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::vector<std::string> argv = {program.string(), "--ladder", self.string()};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

}  // namespace ladder::cli
