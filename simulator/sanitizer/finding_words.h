// Names and numbers as findings show them.
#pragma once

#include <string>

#include "simulator/engine/shared_name.h"
#include "simulator/report/finding.h"

namespace sim::sanitizer {

/// "(1,0,0)"
std::string text(const Index3& i);

/// What a finding accesses, for a sentence.
Message named(const Finding& f);

}  // namespace sim::sanitizer
