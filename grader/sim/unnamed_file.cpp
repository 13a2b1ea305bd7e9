#include "grader/sim/unnamed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace fs = std::filesystem;

UnnamedFile::UnnamedFile() {
  std::string name = (fs::temp_directory_path() / "ladder-sim.XXXXXX").string();
  fd_.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd_)
    throw Failure(ExitCode::environment, "cannot make a file in " + fs::temp_directory_path().string());
  ::unlink(name.c_str());
}

fs::path UnnamedFile::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_.get()); }

}  // namespace ladder::cli
