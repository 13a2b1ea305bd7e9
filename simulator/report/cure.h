#pragma once

#include "simulator/report/finding.h"

namespace sim {

/// What usually mends a finding of its kind, where whoever found it knew nothing closer; may be empty.
const char* usual_cure(const Finding& finding);

}  // namespace sim
