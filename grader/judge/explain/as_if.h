// Wrong values that are right ones for another input: the reference, asked again with an input read
// otherwise.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/bench.h"
#include "grader/judge/diagnose/evidence.h"
#include "grader/judge/explain/failure.h"

namespace ladder {

/// An array whose elements are taken from other places of an array, or changed.
struct OtherReading {
  std::string words;             ///< "one that is stored by columns, not by rows"
  std::string kind;              ///< the same for inputs of other extents
  std::vector<std::byte> bytes;  ///< of all elements
};

/// The readings of an input that mistakes with an index, an order or a mask lead to, each different from the
/// input. Empty for integers, which may be places in another array.
std::vector<OtherReading> other_readings(const Buffer& input);

/// Whether all that a run left, the right elements and the wrong ones, is what the reference makes of an
/// input that is read otherwise. Gives up after some seconds.
/// @param another  a further failed case, of which the same step has to hold; null: there is none
std::optional<diagnose::Diagnosis> as_if_read_otherwise(const Bench& bench, const Failure& failure,
                                                        const Failure* another);

}  // namespace ladder
