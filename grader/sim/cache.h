// Compiled programs, kept until a file that went into them changes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/platform/process/file_lock.h"

namespace ladder::cli {

/// One compiled program: a folder named by everything that was asked of the compiler, and in it a list of the
/// files that the compiler read, with their hashes. Nobody removes it while somebody uses it: the lines of
/// host code are looked up in the program after it has run.
class CacheEntry {
 public:
  /// @param cache  folder of all entries; made where it is missing
  /// @param key    every option, source name and tool that decides what is compiled
  CacheEntry(const std::filesystem::path& cache, const std::string& key);
  CacheEntry(const CacheEntry&) = delete;
  CacheEntry& operator=(const CacheEntry&) = delete;
  ~CacheEntry();  ///< removes what was begun and not kept

  /// Whether an earlier compilation is there and no file it read has changed since.
  bool fresh();
  const std::filesystem::path& folder() const { return folder_; }

  /// A folder to compile into, beside the entry's own.
  const std::filesystem::path& begin();
  /// Puts the compiled files in the entry's place, and removes the entries longest unused.
  /// Where another call has compiled the same meanwhile, its files are the entry's.
  /// @param dependencies  files in make's format, as -MMD writes them, in the folder that begin() gave
  /// @param more  further files that went into the program
  void keep(const std::vector<std::filesystem::path>& dependencies,
            const std::vector<std::string>& more = {});
  /// What holds others from removing the entry, after fresh() or keep(): the caller's as long as it uses the
  /// files.
  FileLock in_use() { return std::move(*in_use_); }

 private:
  std::filesystem::path cache_, folder_, work_;
  std::optional<FileLock> in_use_;
};

/// The files that a dependency file in make's format lists, the target left out.
std::vector<std::filesystem::path> listed_dependencies(const std::string& makefile);

}  // namespace ladder::cli
