// A case that a rung failed, with what came out of it.
#pragma once

#include <memory>
#include <string>

#include "grader/judge/cases/check_case.h"
#include "grader/judge/diagnose/evidence.h"

namespace ladder {

struct Failure {
  std::shared_ptr<PreparedCase> prepared;
  CaseResult result;
  Outcome outcome() const { return result.words.outcome; }
  std::string label() const { return prepared->which().label(); }
};

/// Elements that are enough for the pattern of a mistake to show.
inline constexpr std::int64_t kTellingElements = 1000;

/// Product of a case's extents, each at least 1; the largest number where it outgrows that.
std::int64_t volume(const Case& which);

/// What the patterns look at. Refers to @p failure.
diagnose::Evidence evidence_of(const Failure& failure);

/// The case with all its inputs, and the elements that are wrong.
std::string values_in_words(const Failure& failure);

/// The pointer to an array of no elements is null: the mistake is that it is followed.
/// @return whether the first error is one of these, and now says so
bool mind_empty_arrays(std::vector<sim::Finding>& findings, const Problem& problem);

}  // namespace ladder
