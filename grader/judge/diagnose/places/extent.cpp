// Patterns of where the wrong elements lie.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

/// Whether an array that is both read and written holds what it held before the run.
bool is_as_before(const Evidence& e, std::int64_t i) {
  return e.buffer.role == Buffer::Role::inout &&
         element_at(e.buffer.type, e.buffer.bytes.data(), i) == e.value(i);
}

/// Whether an input's element of the same place stands there.
bool is_an_input(const Evidence& e, std::int64_t i) {
  return std::any_of(e.buffers.begin(), e.buffers.end(), [&](const Buffer& input) {
    return input.role == Buffer::Role::input && input.elements() == e.size() &&
           element_at(input.type, input.bytes.data(), i) == e.value(i);
  });
}

}  // namespace

std::string range_in_words(const Buffer& buffer, std::int64_t first, std::int64_t last) {
  if (first == last) return tr("element ") + subscript(buffer.shape, first);
  return tr("elements ") + subscript(buffer.shape, first) + tr(" to ") + subscript(buffer.shape, last);
}

std::optional<Diagnosis> bytes_for_elements(const Evidence& e) {
  const auto bytes = static_cast<std::int64_t>(size_of(e.buffer.type));
  const std::int64_t part = e.size() / bytes, first = e.wrong.first;
  if (bytes == 1 || part < 2 || e.wrong.last != e.size() - 1 || first < part || first > part + 1)
    return std::nullopt;
  // What did not arrive is not there: 0, or whatever stood there before, is found instead or has been added
  // to; or another input alone.
  const auto missing = [&](std::int64_t i) {
    return e.unwritten_anywhere(i) || e.value(i) == 0 || std::isnan(e.value(i)) || is_as_before(e, i) ||
           is_an_input(e, i) || (!e.other.empty() && e.value(i) != e.other_value(i));
  };
  if (!e.most_wrong(missing)) return std::nullopt;
  // A block of just as many threads explains it better; a few elements may be right by chance.
  if (first == e.block_threads || e.wrong.count * 20 < (e.size() - first) * 19) return std::nullopt;
  const bool on_host = e.buffer.location == Buffer::Location::host;
  return Diagnosis{
      Cause::bytes_for_elements,
      tr("only the first {} of {} elements of '{}' are right: one in {}, the size of an element", first,
         e.size(), e.buffer.name, bytes),
      tr("cudaMalloc, cudaMemcpy and cudaMemset count bytes, not elements: is a sizeof({}) missing{}?",
         name_of(e.buffer.type),
         on_host ? ""
                 : tr(", of this array or of one that it is made from? Or is there one thread "
                      "for {} elements, and does each do only one of them",
                      bytes))};
}

std::optional<Diagnosis> range(const Evidence& e) {
  if (!e.contiguous() || e.size() < 2 || e.wrong.count == e.size()) return std::nullopt;
  const std::string where = range_in_words(e.buffer, e.wrong.first, e.wrong.last);
  const bool to_the_end = e.wrong.last == e.size() - 1;
  const std::int64_t first = e.wrong.first;
  if (to_the_end && (e.block_threads > 0 ? first == e.block_threads
                                         : first >= 32 && first <= 1024 && (first & (first - 1)) == 0))
    return Diagnosis{
        Cause::first_block_only,
        tr("only the first {} elements of '{}' are right: as many as one block has threads", first,
           e.buffer.name),
        tr("Does the index contain blockIdx.x * blockDim.x? And where a block, or the next piece of one "
           "block's work, takes something over from those before it: is that all that came before?")};
  if (to_the_end && first == 1 && e.size() > 2)
    return Diagnosis{
        Cause::first_element_only, tr("only the first element of '{}' is right", e.buffer.name),
        tr("What is different at index 0: nothing stands before it, and whatever an index is multiplied "
           "with does not count. Work out the second element by hand.")};
  if (to_the_end && e.wrong.count > first && first > 0)
    return Diagnosis{Cause::from_there_on,
                     tr("only the first {} of {} elements of '{}' are right: from {} on all are wrong", first,
                        e.size(), e.buffer.name, subscript(e.buffer.shape, first)),
                     tr("What is different from there on: the second block, tile or round of a loop, or an "
                        "index that lacks a part?")};
  if (to_the_end)
    return Diagnosis{Cause::tail,
                     tr("only the tail of '{}' is wrong: {} of {}", e.buffer.name, where, e.size()),
                     tr("The last block, or the last tile, is not full. Look at the guard, and at what the "
                        "threads beyond the "
                        "end contribute.")};
  if (e.wrong.count * 2 > e.size()) return std::nullopt;  // nearly everything is no place
  if (first == 0)
    return Diagnosis{
        Cause::beginning, tr("only the beginning of '{}' is wrong: {} of {}", e.buffer.name, where, e.size()),
        tr("What is special about the first elements: a starting value, a neighbour to the left that is not "
           "there, "
           "or a second thread that writes over them?")};
  return Diagnosis{Cause::stretch,
                   tr("one stretch of '{}' is wrong: {} of {}", e.buffer.name, where, e.size()),
                   tr("Which block or warp writes these, and which of its threads differ from the others?")};
}

std::optional<Diagnosis> ragged_edge(const Evidence& e) {
  if (e.buffer.shape.size() != 2 || e.wrong.count == e.size()) return std::nullopt;
  const std::int64_t rows = e.buffer.shape[0];
  const std::int64_t columns = e.buffer.shape[1];
  for (const std::int64_t tile : {64, 32, 16, 8}) {
    const std::int64_t full_rows = rows / tile * tile;
    const std::int64_t full_columns = columns / tile * tile;
    if (full_rows == 0 || full_columns == 0) continue;
    if (full_rows == rows && full_columns == columns) continue;
    const bool edge =
        e.most_wrong([&](std::int64_t i) { return i / columns >= full_rows || i % columns >= full_columns; });
    const std::int64_t edge_elements = rows * columns - full_rows * full_columns;
    if (!edge || e.wrong.count * 4 < edge_elements) continue;
    return Diagnosis{
        Cause::ragged_edge,
        tr("'{}' is wrong only at its ragged edge: where tiles of {} are not full", e.buffer.name, tile),
        tr("{} x {} is no multiple of {}: threads of the last tiles need a guard of their own for rows "
           "and for columns, and for the load and the store separately.",
           rows, columns, tile)};
  }
  return std::nullopt;
}

std::optional<Diagnosis> edges(const Evidence& e) {
  static constexpr const char* kSide[] = {tr_noop("the first row"), tr_noop("the last row"),
                                          tr_noop("the first column"), tr_noop("the last column")};
  static constexpr const char* kSides[] = {tr_noop("the first rows"), tr_noop("the last rows"),
                                           tr_noop("the first columns"), tr_noop("the last columns")};
  constexpr std::int64_t kLeast = 8;  // of fewer, chance may put all there
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  const auto& shape = e.buffer.shape;
  if (shape.size() < 2 || e.wrong.count < kLeast || e.size() > kMost) return std::nullopt;
  const std::int64_t columns = shape.back(), rows = shape[shape.size() - 2];
  for (const bool one : {true, false}) {  // one row or column, or a few, as of what is turned a little
    const std::int64_t many_rows = one ? 1 : std::max<std::int64_t>(1, rows / 10),
                       many_columns = one ? 1 : std::max<std::int64_t>(1, columns / 10);
    // The fewest sides that have all that is wrong: a set is the bits of a number, and few bits come first.
    for (const unsigned set : {1U, 2U, 4U, 8U, 3U, 5U, 6U, 9U, 10U, 12U, 7U, 11U, 13U, 14U, 15U}) {
      const auto holds = [&](std::int64_t i) {
        const std::int64_t row = i / columns % rows, column = i % columns;
        return ((set & 1) != 0 && row < many_rows) || ((set & 2) != 0 && row >= rows - many_rows) ||
               ((set & 4) != 0 && column < many_columns) ||
               ((set & 8) != 0 && column >= columns - many_columns);
      };
      if (!e.most_wrong(holds)) continue;
      std::int64_t there = 0;  // of one matrix
      for (std::int64_t i = 0; i < rows * columns; ++i) there += holds(i) ? 1 : 0;
      if (there * 4 > rows * columns) continue;
      std::string where;
      for (unsigned side = 0; side < 4; ++side)
        if ((set >> side & 1) != 0)
          where += (where.empty() ? "" : tr(" and ")) + std::string(tr((one ? kSide : kSides)[side]));
      return Diagnosis{
          Cause::edges,
          tr("'{}' is wrong only {} its edges: in {}", e.buffer.name, one ? tr("at") : tr("near"), where),
          tr("What do elements there need that others do not: neighbours that are not there, a coordinate "
             "that "
             "is "
             "cut off at the edge? Of two neighbours each must be cut off by itself, and what is computed "
             "from "
             "coordinates, from those before.")};
    }
  }
  return std::nullopt;
}

std::optional<Diagnosis> every_kth(const Evidence& e) {
  const auto& kept = e.wrong.kept;
  if (kept.size() < 4 || e.wrong.count == e.size()) return std::nullopt;
  for (const std::int64_t k : {2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    const std::int64_t remainder = e.wrong.first % k;
    // All wrong ones lie there, and most that lie there are wrong.
    if (!e.most_wrong([&](std::int64_t i) { return i % k == remainder; })) continue;
    if (e.wrong.count * 4 < (e.size() - remainder + k - 1) / k * 3) continue;
    if (e.wrong.last - e.wrong.first < 3 * k) continue;
    return Diagnosis{
        Cause::every_kth,
        tr("every {} element of '{}' is wrong, from {} on", ordinal(k), e.buffer.name,
           subscript(e.buffer.shape, e.wrong.first)),
        tr("What is special about index % {} == {}? A stride, one lane of each warp of 32, or the first or "
           "last thread of a block.",
           k, remainder)};
  }
  return std::nullopt;
}

}  // namespace ladder::diagnose
