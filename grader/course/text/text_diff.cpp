#include "grader/course/text/text_diff.h"

#include <algorithm>
#include <cstdint>

namespace ladder::cli {
namespace {

using Lines = std::vector<std::string>;

/// Longest common subsequence of the parts that differ, as a table of lengths from (i, j) to the ends.
class CommonTable {
 public:
  CommonTable(const Lines& a, const Lines& b, std::size_t begin, std::size_t a_end, std::size_t b_end)
      : columns_(b_end - begin + 1), lengths_((a_end - begin + 1) * columns_) {
    for (std::size_t i = a_end - begin; i-- > 0;)
      for (std::size_t j = b_end - begin; j-- > 0;)
        lengths_[i * columns_ + j] =
            a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  std::uint32_t at(std::size_t i, std::size_t j) const { return lengths_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<std::uint32_t> lengths_;
};

}  // namespace

std::vector<DiffLine> diff_lines(const Lines& before, const Lines& after) {
  std::vector<DiffLine> diff;
  std::size_t i = 0, j = 0;
  const auto same = [&] {
    diff.push_back({DiffLine::Kind::same, static_cast<int>(i + 1), static_cast<int>(j + 1), before[i]});
    ++i, ++j;
  };
  while (i < before.size() && i < after.size() && before[i] == after[i]) same();
  const std::size_t begin = i;
  std::size_t a_end = before.size(), b_end = after.size();
  while (a_end > begin && b_end > begin && before[a_end - 1] == after[b_end - 1]) --a_end, --b_end;

  const CommonTable common(before, after, begin, a_end, b_end);
  while (i < a_end || j < b_end) {
    const bool both = i < a_end && j < b_end;
    if (both && before[i] == after[j]) {
      same();
    } else if (i < a_end &&
               (!both || common.at(i + 1 - begin, j - begin) >= common.at(i - begin, j + 1 - begin))) {
      diff.push_back({DiffLine::Kind::removed, static_cast<int>(i + 1), 0, before[i]});
      ++i;
    } else {
      diff.push_back({DiffLine::Kind::added, 0, static_cast<int>(j + 1), after[j]});
      ++j;
    }
  }
  while (i < before.size()) same();
  return diff;
}

std::vector<DiffHunk> hunks(const std::vector<DiffLine>& diff, int context) {
  std::vector<bool> keep(diff.size());
  const auto reach = static_cast<std::size_t>(context);
  for (std::size_t i = 0; i < diff.size(); ++i) {
    if (diff[i].kind == DiffLine::Kind::same) continue;
    for (std::size_t k = i - std::min(i, reach); k < std::min(diff.size(), i + reach + 1); ++k)
      keep[k] = true;
  }
  std::vector<DiffHunk> all;
  int old_line = 0, new_line = 0;  // the last line seen of each side
  for (std::size_t i = 0; i < diff.size(); ++i) {
    if (keep[i]) {
      if (i == 0 || !keep[i - 1]) all.push_back({old_line + 1, 0, new_line + 1, 0, {}});
      DiffHunk& hunk = all.back();
      hunk.old_count += diff[i].kind != DiffLine::Kind::added;
      hunk.new_count += diff[i].kind != DiffLine::Kind::removed;
      hunk.lines.push_back(diff[i]);
    }
    old_line += diff[i].kind != DiffLine::Kind::added;
    new_line += diff[i].kind != DiffLine::Kind::removed;
  }
  // An empty side is written as the line before it, as diff and git do.
  for (DiffHunk& hunk : all) {
    if (hunk.old_count == 0) --hunk.old_start;
    if (hunk.new_count == 0) --hunk.new_start;
  }
  return all;
}

}  // namespace ladder::cli
