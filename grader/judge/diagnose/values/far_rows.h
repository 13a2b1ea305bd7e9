// Inputs that an output was made of element by element, and rows of one that exp has nothing left of.
#pragma once

#include <vector>

#include "grader/judge/diagnose/evidence.h"

namespace ladder::diagnose {

/// The floating inputs of the output's shape.
std::vector<const Buffer*> inputs_alike(const Evidence& evidence);

/// An input whose rows are far below 0 wherever a wrong element stands, so that their exp is 0 in float.
const Buffer* input_far_below_zero(const Evidence& evidence);

}  // namespace ladder::diagnose
