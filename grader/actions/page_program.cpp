#include "grader/actions/page_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

ExitCode become_page_program(const Project& project, const std::vector<std::string>& words) {
  std::vector<std::string> own = page_program(project, words);
  std::vector<char*> argv;
  for (std::string& word : own) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  throw Failure(ExitCode::environment, fmt::format("{} cannot be started: {}", own[0], std::strerror(errno)));
}

}  // namespace ladder::cli
