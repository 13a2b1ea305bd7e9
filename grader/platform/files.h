// Small file helpers with errors a student understands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

/// Whole contents of an ordinary file: a pipe is not waited for, and a device not read.
/// @param most  bytes; a longer file is refused
/// @throws Failure (environment) naming the file and the system's reason
std::string read_file(const std::filesystem::path& file, std::size_t most = std::size_t{1} << 30);

/// Replaces a file in one step: a reader sees the old or the new contents, also after a crash.
/// Creates missing folders; keeps the permissions of a file that is there. @throws Failure (environment)
void write_file(const std::filesystem::path& file, std::string_view contents);

/// Makes a file in one step where there is none, also where another machine makes it at the same time and
/// this one does not see it yet. @return whether it did @throws Failure (environment)
bool write_new_file(const std::filesystem::path& file, std::string_view contents);

/// A new folder of one's own, which vanishes with this, and all that is in it.
class TemporaryFolder {
 public:
  /// @param start  what its path begins with; the rest makes it new @throws Failure (environment)
  explicit TemporaryFolder(const std::filesystem::path& start);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Removes a folder and what is in it, however deep that goes; as far as it can.
void remove_wholly(const std::filesystem::path& folder);

/// Copies @p file into @p folder as STEM.N.EXT with the first free number from 1, and never overwrites.
/// @return the copy @throws Failure (environment)
std::filesystem::path keep_numbered_copy(const std::filesystem::path& file,
                                         const std::filesystem::path& folder);

/// Moves @p file, or whatever else has its name, into @p folder as STEM.N.EXT with the first free number
/// from 1.
/// @return where it is now @throws Failure (environment)
std::filesystem::path set_aside(const std::filesystem::path& file, const std::filesystem::path& folder);

/// Whether brackets and braces of a JSON text lie more than @p most deep in each other. What reads, copies or
/// writes JSON calls itself for each level: where others wrote the text, this is asked first.
bool is_nested_deeper(std::string_view json, int most);

/// Lines without their line ends; a last line that has no newline counts.
std::vector<std::string> split_lines(std::string_view text);

/// @p path relative to @p base where it lies inside, else as it is: what to show a user.
std::string shown(const std::filesystem::path& path, const std::filesystem::path& base);

}  // namespace ladder::cli
