// Patterns of elements that were not written, or depend on what was there before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

/// The stride between consecutive kept indices, or 0 when it is not the same everywhere.
std::int64_t common_stride(const std::vector<std::int64_t>& indices) {
  if (indices.size() < 3) return 0;
  const std::int64_t stride = indices[1] - indices[0];
  for (std::size_t i = 2; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != stride) return 0;
  return stride;
}

bool is_block_size(std::int64_t n, const Evidence& e) {
  if (e.block_threads > 0) return n == e.block_threads || (n > 1 && n == e.block_width);
  return n >= 32 && n <= 1024 && (n & (n - 1)) == 0;
}

}  // namespace

std::optional<Diagnosis> never_written(const Evidence& e) {
  if (e.wrong.count != e.size() || !e.most_wrong([&](std::int64_t i) { return e.unwritten_anywhere(i); }))
    return std::nullopt;
  if (e.size() == 1)
    return Diagnosis{
        Cause::nothing_written, tr("'{}' was never written", e.buffer.name),
        tr("Is a kernel launched at all, for this size too, and does one of its threads store the result?")};
  return Diagnosis{
      Cause::nothing_written, tr("no element of '{}' was written", e.buffer.name),
      tr("Is a kernel launched at all, with at least one block, and does it store to this array? A "
         "guard that is "
         "true for no thread looks the same.")};
}

std::optional<Diagnosis> partly_written(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return e.unwritten_anywhere(i); })) return std::nullopt;
  const std::int64_t right = e.size() - e.wrong.count;
  if (e.contiguous() && e.wrong.last == e.size() - 1) {
    if (right == 1)
      return Diagnosis{Cause::first_element_only,
                       tr("only the first element of '{}' was written", e.buffer.name),
                       tr("Does every thread compute its own index from threadIdx and blockIdx, and is more "
                          "than one thread "
                          "launched?")};
    if (is_block_size(right, e)) {
      const bool in_x = e.block_threads > 0 && right != e.block_threads;
      return Diagnosis{
          Cause::first_block_only,
          tr("only the first {} elements of '{}' were written: as many as {}", right, e.buffer.name,
             in_x ? tr("a block has threads in x") : tr("one block has threads")),
          in_x
              ? tr("Does the index have the block's offset, blockIdx.x * blockDim.x, and has the grid enough "
                   "blocks in x: as many as this axis needs, and not those of another axis?")
              : tr("The global index needs the block's offset: blockIdx.x * blockDim.x + threadIdx.x. And "
                   "the "
                   "grid needs enough blocks for all elements.")};
    }
    return Diagnosis{
        Cause::tail_unwritten,
        tr("the last {} of {} elements of '{}' were never written", e.wrong.count, e.size(), e.buffer.name),
        tr("Does the grid end too early? Round the number of blocks up: (n + block - 1) / block. Or does the "
           "guard leave out the last elements, or what takes care of those behind the last whole group "
           "have another index than you think?")};
  }
  if (const std::int64_t stride = common_stride(e.wrong.kept); stride > 1)
    return Diagnosis{Cause::every_kth_unwritten,
                     tr("every {} element of '{}' was never written, from {} on", ordinal(stride),
                        e.buffer.name, subscript(e.buffer.shape, e.wrong.first)),
                     tr("Several threads write the same element, or a stride skips some. Write down which "
                        "indices thread 0 and "
                        "thread 1 store to.")};
  return Diagnosis{Cause::some_unwritten,
                   tr("{} of {} elements of '{}' were never written, the first at {}", e.wrong.count,
                      e.size(), e.buffer.name, subscript(e.buffer.shape, e.wrong.first)),
                   tr("Which thread should write that element? Follow its index through the kernel, and "
                      "through the guards.")};
}

std::optional<Diagnosis> old_contents(const Evidence& e) {
  if (e.other.empty() || e.poison < 0 || e.poison == e.other_poison) return std::nullopt;
  // Sums of integers wrap; 64 bits are more than a double holds.
  const double range = visit_type(e.buffer.type, [](auto zero) {
    return std::is_integral_v<decltype(zero)> && sizeof zero < 8 ? std::ldexp(1.0, 8 * int{sizeof zero})
                                                                 : 0.0;
  });
  const auto off_by = [&](double value, double sum) {
    return std::abs(range > 0 ? std::remainder(value - sum, range) : value - sum);
  };
  bool added = false;
  // The harness fills an output differently before each run: whoever adds to it carries the difference along.
  const auto follows_poison = [&](std::int64_t i) {
    if (e.unwritten(i)) return e.expected(i) == 0;  // nobody had anything to add
    std::byte raw[8];
    const auto poison_value = [&](int byte) {
      std::fill(std::begin(raw), std::end(raw), static_cast<std::byte>(byte));
      return element_at(e.buffer.type, raw, 0);
    };
    const double old_value = poison_value(e.poison);
    const double other_old = poison_value(e.other_poison);
    const bool carried = std::isnan(old_value)
                             ? std::isnan(e.value(i))
                             : e.value(i) == old_value || off_by(e.value(i), old_value + e.expected(i)) <=
                                                              1e-3 * std::abs(e.expected(i)) + 1e-3;
    const double rest = off_by(e.other_value(i), other_old + e.expected(i));
    const bool other_carried = rest <= 1e-3 * (std::abs(e.expected(i)) + std::abs(other_old));
    added |= carried && other_carried;
    return carried && other_carried && !e.accepts(i, e.other_value(i));
  };
  if (!e.most_wrong(follows_poison) || !added) return std::nullopt;
  return Diagnosis{Cause::added_to_old_contents, tr("'{}' is added to what it held before", e.buffer.name),
                   tr("Nobody clears the array for you. Set it to zero first (cudaMemset, or a first store "
                      "with =), or write "
                      "with = where nothing need be added.")};
}

std::optional<Diagnosis> changed_old_contents(const Evidence& e) {
  constexpr std::int64_t kLeast = 4;  // of fewer, chance is as near
  if (e.wrong.count < kLeast || e.other.empty() || e.other_poison < 0 || !is_floating(e.buffer.type))
    return std::nullopt;
  std::byte raw[8];
  std::fill(std::begin(raw), std::end(raw), static_cast<std::byte>(e.other_poison));
  const double old_value = element_at(e.buffer.type, raw, 0);
  if (!std::isfinite(old_value)) return std::nullopt;
  std::size_t changed = 0;
  if (!e.most_wrong([&](std::int64_t i) {
        const double by = e.other_value(i) - old_value;
        changed += by != 0 ? 1 : 0;
        return std::abs(by) <= 0.25 * std::abs(old_value) && !e.accepts(i, e.other_value(i));
      }) ||
      changed * 2 < e.wrong.kept.size())
    return std::nullopt;
  return Diagnosis{
      Cause::added_to_old_contents,
      tr("{} of {} elements of '{}' were changed before anything was stored there, the first at {}",
         e.wrong.count, e.size(), e.buffer.name, subscript(e.buffer.shape, e.wrong.first)),
      tr("What they hold is the old contents with something done to it: a kernel or a step that should have "
         "stored "
         "them leaves them out, and a later one works on what it finds.")};
}

std::optional<Diagnosis> differs_between_runs(const Evidence& e) {
  if (e.other.empty()) return std::nullopt;
  const auto differs = [&](std::int64_t i) {
    if (e.unwritten(i)) return false;  // what differs there is the harness's own filling
    const double a = e.value(i);
    const double b = e.other_value(i);
    return !(a == b) && !(std::isnan(a) && std::isnan(b));
  };
  const auto count = std::count_if(e.wrong.kept.begin(), e.wrong.kept.end(), differs);
  if (count == 0 || count * 10 < static_cast<std::ptrdiff_t>(e.wrong.kept.size())) return std::nullopt;
  const auto at = *std::find_if(e.wrong.kept.begin(), e.wrong.kept.end(), differs);
  // The harness fills an output differently before each run: what follows that, whatever else differs between
  // the runs, is no race.
  const auto follows_poison = [&](std::int64_t i) {
    const double same = e.again_poison == e.poison ? e.value(i) : e.other_value(i);
    return acceptable(same, e.again_value(i), e.buffer.tolerance);
  };
  if (!e.again.empty() && e.poison >= 0 && e.poison != e.other_poison && e.most_wrong(follows_poison))
    return Diagnosis{
        Cause::depends_on_old_contents,
        tr("two runs on the same data differ, and only by what '{}' held before: {}{} was {}, then {}",
           e.buffer.name, e.buffer.name, subscript(e.buffer.shape, at), number(e.buffer.type, e.value(at)),
           number(e.buffer.type, e.other_value(at))),
        tr("Nobody clears the array for you. Is it set to zero first where it is added to, and all of it "
           "(cudaMemset "
           "counts bytes, not elements)? Or is an element read before it was written, or never written at "
           "all?")};
  return Diagnosis{
      Cause::differs_between_runs,
      tr("two runs on the same data differ: {}{} was {}, then {}", e.buffer.name,
         subscript(e.buffer.shape, at), number(e.buffer.type, e.value(at)),
         number(e.buffer.type, e.other_value(at))),
      tr("Either threads race (a missing __syncthreads(), a plain += where an atomic is needed), or the "
         "result "
         "depends on which block or warp comes first, or something is read before it was written: shared "
         "memory, "
         "a temporary array, or the output's old contents.")};
}

std::optional<Diagnosis> some_unwritten(const Evidence& e) {
  const auto unwritten = [&](std::int64_t i) { return e.unwritten(i); };
  const auto count = std::count_if(e.wrong.kept.begin(), e.wrong.kept.end(), unwritten);
  if (count == 0 || count * 10 < static_cast<std::ptrdiff_t>(e.wrong.kept.size())) return std::nullopt;
  const auto at = *std::find_if(e.wrong.kept.begin(), e.wrong.kept.end(), unwritten);
  return Diagnosis{Cause::mixed_unwritten,
                   tr("of {} wrong elements of '{}' {} were never written, the first at {}", e.wrong.count,
                      e.buffer.name, e.wrong.poisoned, subscript(e.buffer.shape, at)),
                   tr("The others hold wrong values. Do several threads store to one place where each should "
                      "have its own? Write "
                      "down which indices a few threads store to.")};
}

}  // namespace ladder::diagnose
