// Patterns of whole rows, columns or slices, and of parts that come again and again.
#include <fmt/format.h>

#include <algorithm>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 22;  // elements that are looked at one by one

/// What one coordinate of an axis is called, and several.
struct Name {
  std::string one, many;
};

Name slab_name(std::size_t rank, std::size_t axis) {
  if (axis + 1 == rank) return {tr("column"), tr("columns")};
  if (axis + 2 == rank) return {tr("row"), tr("rows")};
  if (rank == 3) return {tr("slice"), tr("slices")};
  return {tr("axis-{} slice", axis), tr("axis-{} slices", axis)};
}

/// Whether each coordinate of an axis is wrong: empty where some are neither wrong nor right as a whole.
std::vector<bool> wrong_coordinates(const Evidence& e, std::int64_t extent, std::int64_t inner) {
  std::vector<std::int64_t> wrong(static_cast<std::size_t>(extent), 0);
  for (std::int64_t i = 0; i < e.size(); ++i)
    if (!e.is_right(i)) ++wrong[static_cast<std::size_t>(i / inner % extent)];
  const std::int64_t slab = e.size() / extent;
  std::vector<bool> bad;
  for (const std::int64_t count : wrong) {
    if (count != 0 && count * 4 < slab * 3) return {};
    bad.push_back(count != 0);
  }
  return bad;
}

struct Explanation {
  std::string headline, advice;
};

/// @param verb  "wrong" or "never written"
Explanation in_words(const std::vector<bool>& bad, const Name& called, const std::string& array,
                     const char* verb) {
  const auto& [name, many] = called;
  const auto count = std::count(bad.begin(), bad.end(), true);
  const auto extent = static_cast<std::ptrdiff_t>(bad.size());
  const auto first = std::find(bad.begin(), bad.end(), true) - bad.begin();
  const auto last = extent - 1 - (std::find(bad.rbegin(), bad.rend(), true) - bad.rbegin());
  const bool together = last - first + 1 == count;
  // Of two or three none is special for being wrong alone.
  if (extent <= 3 && !(first == 1 && count == 2)) {
    std::string right, wrong;
    for (std::ptrdiff_t i = 0; i < extent; ++i) {
      std::string& list = bad[static_cast<std::size_t>(i)] ? wrong : right;
      list += (list.empty() ? "" : tr(" and ")) + std::to_string(i);
    }
    const bool one_right = extent - count == 1, one_wrong = count == 1;
    return {one_right && one_wrong
                ? tr("{} {} of '{}' is right, {} {} is {}", name, right, array, name, wrong, verb)
            : one_right ? tr("{} {} of '{}' is right, {} {} are {}", name, right, array, many, wrong, verb)
            : one_wrong ? tr("{} {} of '{}' are right, {} {} is {}", many, right, array, name, wrong, verb)
                        : tr("{} {} of '{}' are right, {} {} are {}", many, right, array, many, wrong, verb),
            tr("What moves from one {} to the next? Is its start computed wrongly: in elements or in "
               "bytes, with the extent of the right axis, and for all of them?",
               name)};
  }
  if (together && first == 1 && last == extent - 1 && extent > 2)
    return {
        tr("only the first {} of '{}' is right: {} of {} {} are {}", name, array, count, extent, many, verb),
        tr("What moves from one {} to the next: is its coordinate computed from blockIdx and "
           "threadIdx, are there blocks for all of them, and is its step in the index the number of "
           "elements of a whole {}?",
           name, name)};
  const bool to_the_end = together && last == extent - 1 && extent > 2;
  if (count == 1 && !(to_the_end && first % 8 == 0))
    return {tr("one {} of '{}' is {}: {} {} of {}", name, array, verb, name, first, extent),
            tr("What is special about {} {}: an edge, a neighbour that is not there, a loop that "
               "begins late or ends early?",
               name, first)};
  if (to_the_end)
    return {
        tr("the {} of '{}' from {} on are {}: {} of {}", many, array, first, verb, count, extent),
        tr("Do the blocks and the loops go that far, and does the index take the coordinate from there on as "
           "before?")};
  if (together)
    return {tr("the {} from {} to {} of '{}' are {}, of {} in all", many, first, last, array, verb, extent),
            tr("Which block or warp has these, and what differs for it?")};
  for (std::ptrdiff_t k : {2, 3, 4, 8, 16, 32, 64}) {
    bool all = true;
    for (std::ptrdiff_t i = 0; i < extent; ++i)
      all &= bad[static_cast<std::size_t>(i)] == (i % k == first % k);
    if (all)
      return {tr("every {} {} of '{}' is {}, from {} on", ordinal(k), name, array, verb, first),
              tr("A stride that skips some, or one thread or tile in several that differs from the others.")};
  }
  return {};  // here and there
}

std::optional<Diagnosis> slices(const Evidence& e, const char* verb) {
  const auto& shape = e.buffer.shape;
  if (shape.size() < 2 || e.wrong.count == e.size() || e.size() > kMost) return std::nullopt;
  std::int64_t inner = e.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    inner /= shape[axis];
    // One element each, or one coordinate, tells nothing about an axis.
    if (shape[axis] < 2 || e.size() / shape[axis] < 2) continue;
    const std::vector<bool> bad = wrong_coordinates(e, shape[axis], inner);
    if (bad.empty() || std::find(bad.begin(), bad.end(), false) == bad.end()) continue;
    Explanation words = in_words(bad, slab_name(shape.size(), axis), e.buffer.name, verb);
    if (words.headline.empty()) continue;
    return Diagnosis{Cause::slices, std::move(words.headline), std::move(words.advice)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> unwritten_slices(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return e.unwritten_anywhere(i); })) return std::nullopt;
  const bool one_block = e.contiguous() && e.block_threads > 0 && e.wrong.first == e.block_threads;
  return one_block ? std::nullopt : slices(e, tr("never written"));
}

std::optional<Diagnosis> wrong_slices(const Evidence& e) { return slices(e, tr("wrong")); }

std::optional<Diagnosis> periodic(const Evidence& e) {
  if (e.wrong.count == e.size() || e.size() < 128 || e.size() > kMost) return std::nullopt;
  for (const std::int64_t period : {4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    if (e.size() < 4 * period) break;
    // Of whole periods only: the last one may be wrong for a reason of its own.
    std::vector<std::int64_t> wrong(static_cast<std::size_t>(period), 0);
    const std::int64_t periods = e.size() / period;
    for (std::int64_t i = 0; i < periods * period; ++i)
      if (!e.is_right(i)) ++wrong[static_cast<std::size_t>(i % period)];
    const auto is_bad = [](std::int64_t count) { return count != 0; };
    if (std::any_of(wrong.begin(), wrong.end(),
                    [&](std::int64_t count) { return count != 0 && count * 2 < periods; }))
      continue;
    const auto first = std::find_if(wrong.begin(), wrong.end(), is_bad) - wrong.begin();
    const auto count = std::count_if(wrong.begin(), wrong.end(), is_bad);
    const auto last = period - 1 - (std::find_if(wrong.rbegin(), wrong.rend(), is_bad) - wrong.rbegin());
    if (count < 2 || count * 4 > period * 3 || last - first + 1 != count) continue;
    return Diagnosis{
        Cause::periodic,
        tr("elements {} to {} of every {} of '{}' are wrong", first, last, period, e.buffer.name),
        tr("The others are right. Of each {}, {} is what these share: lanes of a warp of 32, threads of "
           "a block, or a part of a tile or vector that is not folded, loaded or stored.",
           period, count == period / 2 ? tr("one half") : tr("a fixed part"))};
  }
  return std::nullopt;
}

}  // namespace ladder::diagnose
