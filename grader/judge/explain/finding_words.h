// A finding in the words of a verdict: what and where in one line, then who.
#pragma once

#include <string>

#include "simulator/report/finding.h"

namespace ladder {

/// A kernel's name as a person reads it: long ones lose template arguments, parameters and inner namespaces,
/// so that CUB's "DeviceScanKernel" is not eight lines long: "cub::DeviceScanKernel".
std::string readable_name(const std::string& name);

/// "race in shared memory: s[17] at 3_interleaved.cu:12 (reduce_kernel)"; editors look for the place in it.
/// The variable is there where the source has a name for it; a note says that it is one.
std::string finding_headline(const sim::Finding& finding);

/// Its sentence, the threads concerned, and how many more there are; several lines.
std::string finding_detail(const sim::Finding& finding);

/// "Usual cure: ..."; empty where none is known.
std::string finding_cure(const sim::Finding& finding);

}  // namespace ladder
