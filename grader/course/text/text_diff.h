// Line differences between two texts, and the unified form people know from git.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct DiffLine {
  enum class Kind { same, removed, added };
  Kind kind = Kind::same;
  int old_line = 0;  ///< from 1; 0 for an added line
  int new_line = 0;  ///< from 1; 0 for a removed line
  std::string text;
};

/// The shortest edit from @p before to @p after, removed lines before added ones.
/// Memory grows with the product of the lengths of what differs; meant for source files.
std::vector<DiffLine> diff_lines(const std::vector<std::string>& before,
                                 const std::vector<std::string>& after);

/// A stretch of a difference with some unchanged lines around it.
struct DiffHunk {
  int old_start = 0, old_count = 0, new_start = 0, new_count = 0;
  std::vector<DiffLine> lines;
};

/// Cuts a difference into hunks with @p context unchanged lines around each; none where nothing differs.
std::vector<DiffHunk> hunks(const std::vector<DiffLine>& diff, int context = 3);

}  // namespace ladder::cli
