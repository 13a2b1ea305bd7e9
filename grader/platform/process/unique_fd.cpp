#include "grader/platform/process/unique_fd.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "grader/platform/failure.h"

namespace ladder {

UniqueFd open_log(const std::filesystem::path& file) {
  UniqueFd log(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log)
    throw cli::Failure(cli::ExitCode::environment,
                       "cannot write " + file.string() + ": " + std::strerror(errno));
  return log;
}

Pipe::Pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw cli::Failure(cli::ExitCode::environment,
                       std::string("cannot make a pipe: ") + std::strerror(errno));
  read.reset(ends[0]);
  write.reset(ends[1]);
}

void do_not_block(int fd) { ::fcntl(fd, F_SETFL, O_NONBLOCK); }

bool write_wholly(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace ladder
