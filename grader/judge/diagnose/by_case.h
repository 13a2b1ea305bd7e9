// Which of the cases tried are right: a pattern of its own, where the values show none.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "grader/lesson/lesson.h"

namespace ladder::diagnose {

/// A case that was run, and how that went.
struct Tried {
  Case which;
  bool right = false;
};

/// What tells the right cases from the wrong ones.
struct CaseRule {
  std::string right_where;  ///< "stride = 1"
  std::string wrong_where;  ///< "stride >= 2"
  int right = 0, wrong = 0;
  /// The extent that decides by its size alone; empty where
  /// it is how extents lie to each other, or the variant.
  std::string extent{};
  bool of_variant = false;  ///< the variant decides
  std::string among{};      ///< the variant that it holds for; empty: all cases
};

/// The first rule that holds for every case tried: a bound on an extent, what
/// divides it, how two extents lie to each other, or the variant; else the first
/// that holds for those of the wrong case's variant. None where too few cases
/// were tried to mean anything; empty cases do not count.
std::optional<CaseRule> rule_of(std::span<const Tried> tried);

}  // namespace ladder::diagnose
