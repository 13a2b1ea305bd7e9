// Reading what others have made: files below a folder, through no link, up to a size; and programs' output.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ladder::cli::grade {

/// Reads a regular file. No part of the path below the folder may be a link, and a pipe is not waited for.
/// @return nothing where it cannot be read, or is longer than @p most
std::optional<std::string> read_plain(const std::filesystem::path& folder, const std::string& path,
                                      std::size_t most);

/// What lies in a folder.
struct Name {
  enum class Kind { folder, file, other };  ///< other: links, pipes, devices
  std::string name;
  Kind kind = Kind::other;
};

/// Lists a folder, sorted. No part of the path below @p folder may be a link.
/// @param path  relative to @p folder; empty for itself
/// @param most  names at most; with more of them it gives one more than that
/// @return nothing where it cannot be read; errno says why
std::optional<std::vector<Name>> list_plain(const std::filesystem::path& folder, const std::string& path,
                                            std::size_t most);

/// A program's output as it is, at most @p most bytes and one line end more.
struct Output {
  bool ok = false;
  std::string text;
};
Output output_of(std::vector<std::string> argv, std::size_t most);

/// The parts of @p text that end with @p end; what follows the last end is none.
std::vector<std::string> lines_of(const std::string& text, char end);

}  // namespace ladder::cli::grade
