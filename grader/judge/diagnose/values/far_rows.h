// Rows of an input that exp has nothing left of.
#pragma once

#include "grader/judge/diagnose/evidence.h"

namespace ladder::diagnose {

/// An input whose rows are far below 0 wherever a wrong element stands, so that their exp is 0 in float.
const Buffer* input_far_below_zero(const Evidence& evidence);

}  // namespace ladder::diagnose
