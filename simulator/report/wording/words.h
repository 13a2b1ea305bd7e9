// A finding in words, made here and nowhere else: its sentence, its headline, who was concerned, and the
// cure.
#pragma once

#include <string>

#include "simulator/report/finding.h"

namespace sim {

/// What the finding says, a sentence or two with its full stop.
std::string sentence(const Finding& finding);

/// What the finding says before it gives its reason, without a stop; empty where it gives none.
std::string claim_in_words(const Finding& finding);

/// What is accessed, without where its memory was asked for: "s[17]", "byte 20 of 4096 bytes from cudaMalloc
/// #1".
std::string operand_in_words(const Finding& finding);

/// "race in shared memory: s[17] at 3_interleaved.cu:12 (reduce_kernel)"; editors look for the place in it.
/// The variable is there where the source has a name for it; a note says that it is one.
std::string finding_headline(const Finding& finding);

/// Its sentence, the threads concerned, and how many more there are; several lines.
std::string finding_detail(const Finding& finding);

/// "Usual cure: ..."; empty where none is known.
std::string finding_cure(const Finding& finding);

/// A second place in the words of a finding: "line 12", or "scale.h:12" where it is in another file than the
/// finding.
/// @param file  empty: the finding's own
std::string place_beside(const Finding& finding, const std::string& file, int line);

/// " (half8.h:53)", behind the place of a call that leads into a header; empty where none does.
std::string in_header(const SourceLine& inside);

/// A kernel's name as a person reads it: long ones lose template arguments, parameters and inner namespaces,
/// so that CUB's "DeviceScanKernel" is not eight lines long: "cub::DeviceScanKernel".
std::string readable_name(const std::string& name);

}  // namespace sim
