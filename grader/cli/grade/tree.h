// What a student handed in, as a list of files that can be read one at a time: nothing is unpacked, checked
// out or run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::cli::grade {

inline constexpr std::size_t kLongestSource = 1u << 20;  ///< bytes; the course's longest rung has 10 KiB
inline constexpr std::size_t kMostEntries = 20'000;      ///< files looked at in one submission

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
  /// Where it came from, beyond its path: a commit. May be empty.
  virtual std::string origin() const { return {}; }
};

/// A folder; links are listed and never followed. @throws Failure (environment)
std::unique_ptr<Tree> folder_tree(const std::filesystem::path& folder);

/// A single file, as a tree of one entry.
std::unique_ptr<Tree> file_tree(const std::filesystem::path& file, const std::string& shown_as);

/// A .zip, .tar, .tar.gz or .tgz, listed and read by unzip or tar. @throws Failure (environment)
std::unique_ptr<Tree> archive_tree(const std::filesystem::path& archive);
bool is_archive(const std::filesystem::path& file);

/// The newest commit of a git repository, fetched without a working tree: no hook, filter or submodule of it
/// runs.
/// @param remote  anything that git clone takes, but for commands (ext::)
/// @param into    a folder for the copy; replaced
/// @throws Failure (environment) where it cannot be fetched
std::unique_ptr<Tree> git_tree(const std::string& remote, const std::filesystem::path& into);

}  // namespace ladder::cli::grade
