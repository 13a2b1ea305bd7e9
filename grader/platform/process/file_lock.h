// Locks between processes, by flock(2): the kernel lifts them when the process ends, however it does.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "grader/platform/process/unique_fd.h"

namespace ladder {

/// Held as long as this lives: nobody else who takes the same lock does what it guards meanwhile.
class FileLock {
 public:
  /// Waits until it is free.
  /// @param lock     a file for nothing else; made, with its folders, where it is missing
  /// @param waiting  called once where somebody else has it
  /// @throws cli::Failure (environment) where the file cannot be opened
  explicit FileLock(const std::filesystem::path& lock, const std::function<void()>& waiting = {});

  /// @return nothing where somebody else has it @throws cli::Failure (environment) as the constructor
  static std::optional<FileLock> try_take(const std::filesystem::path& lock);
  /// The same for a file that the caller has opened; nothing as well where @p file is none.
  static std::optional<FileLock> try_take(UniqueFd file);
  /// Held together with others who share it; waits for who has it alone. @param file  a file or a folder,
  /// open
  static FileLock share(UniqueFd file);

 private:
  explicit FileLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

}  // namespace ladder
