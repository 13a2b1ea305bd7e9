// Which of some files have changed since one last looked, and a descriptor that says when to look.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "grader/platform/process/unique_fd.h"

namespace ladder::cli::serve {

/// Watches files by their folders: editors rename a new file over the old one. Where the file system tells
/// nothing, looking now and then finds the same.
class Changes {
 public:
  /// @param files  need not exist
  explicit Changes(std::vector<std::filesystem::path> files);

  /// Readable when something happened in one of the folders; -1 where the system tells nothing.
  int fd() const { return notify_.get(); }
  /// Takes what fd() has to say off it.
  void drain();
  /// The files that are other ones than at the last call, or were made or removed.
  std::vector<std::filesystem::path> look();

 private:
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t size = -1, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);

  UniqueFd notify_;
  std::map<std::filesystem::path, Stamp> files_;
};

}  // namespace ladder::cli::serve
