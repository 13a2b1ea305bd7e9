#include "grader/judge/diagnose/by_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr int kLeastOfEach = 2;        // right and wrong cases ...
constexpr int kTellingPairs = 3;       // right cases of more than one row and column
constexpr int kLeastCases = 6;         // ... and in all: of fewer, chance finds a rule
constexpr std::size_t kMostNamed = 4;  // variants that a rule lists

bool is_empty(const Case& which) {
  return std::any_of(which.extents.begin(), which.extents.end(), [](const auto& e) { return e.second == 0; });
}

using Values = std::set<std::int64_t>;

std::string values_in_words(const std::string& name, const Values& values, bool below) {
  if (values.size() == 1) return fmt::format("{} = {}", name, *values.begin());
  return below ? fmt::format("{} <= {}", name, *values.rbegin())
               : fmt::format("{} >= {}", name, *values.begin());
}

class Rules {
 public:
  explicit Rules(std::vector<Tried> tried) : tried_(std::move(tried)) {
    for (const Tried& t : tried_) ++(t.right ? right_ : wrong_);
  }

  bool enough() const {
    return right_ >= kLeastOfEach && wrong_ >= kLeastOfEach && right_ + wrong_ >= kLeastCases;
  }

  std::optional<CaseRule> bound(std::size_t e) const {
    Values right, wrong;
    for (const Tried& t : tried_) (t.right ? right : wrong).insert(t.which.extents[e].second);
    const std::string& name = tried_.front().which.extents[e].first;
    if (*right.rbegin() < *wrong.begin())
      return rule(values_in_words(name, right, true), values_in_words(name, wrong, false), name);
    if (*wrong.rbegin() < *right.begin())
      return rule(values_in_words(name, right, false), values_in_words(name, wrong, true), name);
    return std::nullopt;
  }

  std::optional<CaseRule> multiple(std::size_t e) const {
    const std::string& name = tried_.front().which.extents[e].first;
    for (const std::int64_t m : {2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}) {
      const auto is_multiple = [&](const Tried& t) { return t.which.extents[e].second % m == 0; };
      const std::string yes = tr("{} is a multiple of {}", name, m),
                        no = tr("{} is no multiple of {}", name, m);
      if (separates(is_multiple)) return rule(yes, no, name);
      if (separates([&](const Tried& t) { return !is_multiple(t); })) return rule(no, yes, name);
    }
    return std::nullopt;
  }

  std::optional<CaseRule> pair(std::size_t a, std::size_t b) const {
    const auto of = [](const Tried& t, std::size_t e) { return t.which.extents[e].second; };
    const std::string &x = tried_.front().which.extents[a].first, &y = tried_.front().which.extents[b].first;
    // Of cases of one element anything is right by chance.
    const auto larger = std::count_if(tried_.begin(), tried_.end(), [&](const Tried& t) {
      return t.right && of(t, a) > 1 && of(t, b) > 1;
    });
    if (larger < kTellingPairs) return std::nullopt;
    if (separates([&](const Tried& t) { return of(t, a) == of(t, b); }))
      return rule(x + " = " + y, tr("{} and {} differ", x, y));
    if (separates([&](const Tried& t) { return of(t, a) <= of(t, b); }))
      return rule(x + " <= " + y, x + " > " + y);
    if (separates([&](const Tried& t) { return of(t, a) >= of(t, b); }))
      return rule(x + " >= " + y, x + " < " + y);
    return std::nullopt;
  }

  std::optional<CaseRule> variant() const {
    std::set<std::string> right, wrong;
    for (const Tried& t : tried_) (t.right ? right : wrong).insert(t.which.variant);
    const auto in_words = [](const std::set<std::string>& names) {
      std::string text = tr("the case is");
      for (const std::string& name : names)
        text += (name == *names.begin() ? " '" : tr(" or '")) + name + "'";
      return text;
    };
    for (const std::string& name : right)
      if (wrong.contains(name)) return std::nullopt;
    // A list that nobody reads to its end tells nothing: the shorter one alone says where the other holds.
    const bool many_right = right.size() > kMostNamed, many_wrong = wrong.size() > kMostNamed;
    if (many_right && many_wrong) return std::nullopt;
    const std::string another = tr("the case is any other");
    CaseRule by_variant =
        rule(many_right ? another : in_words(right), many_wrong ? another : in_words(wrong));
    by_variant.of_variant = true;
    return by_variant;
  }

  std::optional<CaseRule> first() const {
    const std::size_t extents = tried_.front().which.extents.size();
    if (auto found = variant()) return found;
    for (std::size_t e = 0; e < extents; ++e)
      if (auto found = bound(e)) return found;
    for (std::size_t a = 0; a < extents; ++a)
      for (std::size_t b = a + 1; b < extents; ++b)
        if (auto found = pair(a, b)) return found;
    for (std::size_t e = 0; e < extents; ++e)
      if (auto found = multiple(e)) return found;
    return std::nullopt;
  }

 private:
  template <class Holds>
  bool separates(const Holds& right_where) const {
    return std::all_of(tried_.begin(), tried_.end(),
                       [&](const Tried& t) { return right_where(t) == t.right; });
  }
  CaseRule rule(std::string right, std::string wrong, std::string extent = "") const {
    return {std::move(right), std::move(wrong), right_, wrong_, std::move(extent)};
  }

  std::vector<Tried> tried_;
  int right_ = 0, wrong_ = 0;
};

bool same_extents(const Case& a, const Case& b) {
  return std::equal(a.extents.begin(), a.extents.end(), b.extents.begin(), b.extents.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

}  // namespace

std::optional<CaseRule> rule_of(std::span<const Tried> tried) {
  std::vector<Tried> all;
  const auto wrong = std::find_if(tried.begin(), tried.end(), [](const Tried& t) { return !t.right; });
  if (wrong == tried.end()) return std::nullopt;
  for (const Tried& t : tried)
    if (!is_empty(t.which) && same_extents(t.which, wrong->which)) all.push_back(t);
  if (all.empty()) return std::nullopt;
  const Rules over_all(all);
  if (over_all.enough())
    if (auto found = over_all.first()) return found;
  std::erase_if(all, [&](const Tried& t) { return t.which.variant != wrong->which.variant; });
  if (all.empty()) return std::nullopt;
  const Rules over_variant(all);
  if (!over_variant.enough()) return std::nullopt;
  auto found = over_variant.first();
  if (found) found->among = wrong->which.variant;
  return found;
}

}  // namespace ladder::diagnose
