#include "grader/platform/process/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "grader/platform/failure.h"

namespace ladder::cli {

std::size_t allow_open_files(std::size_t wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted) return wanted;
  const rlimit all{wanted, std::max<rlim_t>(wanted, files.rlim_max)};  // beyond its limit only root may go
  if (::setrlimit(RLIMIT_NOFILE, &all) == 0) return wanted;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  return files.rlim_cur;
}

void need_open_files(std::size_t fewest, const char* what) {
  if (const std::size_t files = allow_open_files(); files < fewest)
    throw Failure(ExitCode::environment,
                  fmt::format("only {} files may be open at a time, and {} needs {}", files, what, fewest),
                  "The shell's `ulimit -n` sets that.");
}

}  // namespace ladder::cli
