#include "grader/platform/process/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "grader/platform/failure.h"

namespace ladder {
namespace {

UniqueFd open_lock_file(const std::filesystem::path& lock) {
  std::error_code error;
  if (!lock.parent_path().empty()) std::filesystem::create_directories(lock.parent_path(), error);
  if (error)
    throw cli::Failure(cli::ExitCode::environment, fmt::format("cannot create the folder {}: {}",
                                                               lock.parent_path().string(), error.message()));
  UniqueFd file(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file)
    throw cli::Failure(cli::ExitCode::environment,
                       fmt::format("cannot write {}: {}", lock.string(), std::strerror(errno)));
  return file;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& lock, const std::function<void()>& waiting)
    : file_(open_lock_file(lock)) {
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (waiting) waiting();
  while (::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

std::optional<FileLock> FileLock::try_take(const std::filesystem::path& lock) {
  return try_take(open_lock_file(lock));
}

std::optional<FileLock> FileLock::try_take(UniqueFd file) {
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return FileLock(std::move(file));
}

FileLock FileLock::share(UniqueFd file) {
  while (::flock(file.get(), LOCK_SH) != 0 && errno == EINTR) {
  }
  return FileLock(std::move(file));
}

}  // namespace ladder
