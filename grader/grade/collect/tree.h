// What a student handed in, as a list of files that can be read one at a time: nothing of it is run, and the
// programs that take archives and repositories apart do so in a cell.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/grade/engines/grading.h"

namespace ladder::cli::grade {

inline constexpr std::size_t kLongestSource = 1u << 20;  ///< bytes; the course's longest rung has 10 KiB
inline constexpr std::size_t kMostEntries = 20'000;      ///< files looked at in one submission, and folders
inline constexpr int kDeepestFolder = 20;                ///< folders in folders that are looked into

class Tree {
 public:
  struct Entry {
    std::string path;      ///< relative, with '/'
    bool regular = false;  ///< neither a link nor a device nor anything else that is no file
  };
  virtual ~Tree() = default;
  virtual const std::vector<Entry>& entries() const = 0;
  /// The contents of a regular entry. @return nothing where it cannot be read or is longer than
  /// kLongestSource
  virtual std::optional<std::string> read(const Entry& entry) const = 0;
  /// Where the entry lies as a file, for as long as the tree lives; empty where it does not.
  virtual std::filesystem::path file(const Entry& entry) const = 0;
  /// What of it could not be looked at, and why, in words for the instructor.
  virtual std::vector<std::string> troubles() const { return {}; }
  /// Where it came from, beyond its path: a commit. May be empty.
  virtual std::string origin() const { return {}; }
};

/// Folders of a submission that hold nobody's homework: hidden ones, and what builds leave.
bool is_machinery(const std::string& folder);

/// A folder; links are listed and never followed, machinery is not looked into.
/// @throws Failure (environment) where it cannot be read or holds more than kMostEntries files
std::unique_ptr<Tree> folder_tree(const std::filesystem::path& folder);

/// A single file, as a tree of one entry.
std::unique_ptr<Tree> file_tree(const std::filesystem::path& file, const std::string& shown_as);

/// The newest commit of a git repository, fetched without a working tree: no hook, filter or submodule of it
/// runs, and what was fetched is read in a cell.
/// @param remote  https, ssh or a path; see why_not_fetched()
/// @param into    a folder for the copy; replaced, and removed with the tree
/// @throws Failure (environment) where it cannot be fetched
std::unique_ptr<Tree> git_tree(const Grading& grading, const std::string& remote,
                               const std::filesystem::path& into);

}  // namespace ladder::cli::grade
