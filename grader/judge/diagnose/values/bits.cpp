// Patterns of words whose bits are a set: masks of lanes, of neighbours, of flags.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr std::int64_t kEnough = 4;  // words; of fewer chance may give all the same
constexpr std::uint64_t kHigh = 1u << 16;

std::uint64_t word(double value) { return static_cast<std::uint64_t>(value); }

/// "0, 2, 10 to 15"
std::string list_of(std::uint64_t bits) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    if ((bits >> i & 1) == 0) continue;
    const int first = i;
    while (i < 63 && (bits >> (i + 1) & 1) != 0) ++i;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (i > first) text += fmt::format("{}{}", i == first + 1 ? ", " : tr(" to "), i);
  }
  return text;
}

}  // namespace

std::optional<Diagnosis> bits(const Evidence& e) {
  const bool sets = e.buffer.type == Type::u32 || e.buffer.type == Type::u64;
  if (!sets || e.wrong.count < kEnough) return std::nullopt;
  const auto extra = [&](std::int64_t i) { return word(e.value(i)) & ~word(e.expected(i)); };
  const auto missing = [&](std::int64_t i) { return word(e.expected(i)) & ~word(e.value(i)); };
  const std::int64_t first = e.wrong.first;
  const std::string where = e.buffer.name + subscript(e.buffer.shape, first);
  // Counts are small; a set uses its high bits as well as its low ones.
  const auto is_high = [&](std::int64_t i) { return (word(e.value(i)) | word(e.expected(i))) >= kHigh; };
  if (std::count_if(e.wrong.kept.begin(), e.wrong.kept.end(), is_high) * 4 < std::ssize(e.wrong.kept))
    return std::nullopt;
  if (e.most_wrong([&](std::int64_t i) { return missing(i) == 0; }))
    return Diagnosis{Cause::bits_too_many,
                     tr("the wrong elements of '{}' have bits too many and lack none: {} has {} as well",
                        e.buffer.name, where, list_of(extra(first))),
                     tr("Somebody takes part who should not: a lane that is named in the mask, or compared, "
                        "though its value "
                        "means nothing.")};
  if (e.most_wrong([&](std::int64_t i) { return extra(i) == 0; }))
    return Diagnosis{
        Cause::bits_missing,
        tr("the wrong elements of '{}' lack bits and have none too many: {} lacks {}", e.buffer.name, where,
           list_of(missing(first))),
        tr("Somebody is left out who should take part: a lane that had left, that the mask does not name, or "
           "whose bit another store has overwritten.")};
  return std::nullopt;
}

}  // namespace ladder::diagnose
