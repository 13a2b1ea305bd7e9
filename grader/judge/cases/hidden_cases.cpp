#include "grader/judge/cases/hidden_cases.h"

#include <algorithm>

namespace ladder {
namespace {

constexpr std::int64_t kMostElements = 1 << 20;  // hidden cases are to surprise, not to take long
constexpr int kTriesPerCase = 16;

bool small(const Case& which) {
  std::int64_t product = 1;
  for (const auto& [name, extent] : which.extents)
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product)) return false;
  return product <= kMostElements;
}

/// @return @p known with each extent between half and twice what it was
Case varied(Case known, Random& random) {
  for (auto& [name, extent] : known.extents) {
    const std::int64_t low = std::max<std::int64_t>(extent / 2, 1);
    extent =
        low + static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(2 * extent - low + 1));
  }
  return known;
}

bool same(const Case& a, const Case& b) {
  return a.extents == b.extents && a.variant == b.variant && a.blank_page == b.blank_page;
}

}  // namespace

std::vector<Case> hidden_cases(const Lesson& lesson, const std::vector<Case>& known, int count,
                               std::uint64_t seed) {
  std::vector<Case> models;
  for (const Case& which : known) {
    const bool empty = std::any_of(which.extents.begin(), which.extents.end(),
                                   [](const auto& named) { return named.second <= 0; });
    if (!empty && small(which)) models.push_back(which);
  }
  std::vector<Case> hidden;
  Random random(seed);
  for (int tries = 0; !models.empty() && tries < count * kTriesPerCase; ++tries) {
    if (static_cast<int>(hidden.size()) == count) break;
    const Case next = varied(models[random.next() % models.size()], random);
    const auto is_next = [&](const Case& other) { return same(other, next); };
    if (!small(next) || !lesson.valid(next) || std::any_of(known.begin(), known.end(), is_next) ||
        std::any_of(hidden.begin(), hidden.end(), is_next))
      continue;
    hidden.push_back(next);
  }
  return hidden;
}

}  // namespace ladder
