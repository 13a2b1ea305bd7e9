// A file descriptor that is closed on every way out.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>

namespace ladder {

/// Owns a descriptor, or none.
class UniqueFd {
 public:
  UniqueFd() = default;
  /// @param fd  to own; negative: none, as the calls that open something say when they fail
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  /// @return the descriptor, still owned; -1 where there is none
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// @return the descriptor, which is the caller's from now on
  int release() noexcept { return std::exchange(fd_, -1); }
  /// Closes what it has and owns @p fd instead.
  void reset(int fd = -1) noexcept {
    if (const int old = std::exchange(fd_, fd); old >= 0) ::close(old);
  }

 private:
  int fd_ = -1;
};

/// Opens a file to append to, made for this user alone where it is missing.
/// @throws cli::Failure (environment)
UniqueFd open_log(const std::filesystem::path& file);

/// Both ends of a pipe, closed on exec.
struct Pipe {
  /// @throws cli::Failure (environment) where no descriptors are left
  Pipe();
  UniqueFd read, write;
};

/// Calls on @p fd return at once from now on, with EAGAIN where they would have waited.
void do_not_block(int fd);

/// Writes all of @p bytes, however many calls that takes. @return false with errno where it cannot
bool write_wholly(int fd, std::string_view bytes);

}  // namespace ladder
