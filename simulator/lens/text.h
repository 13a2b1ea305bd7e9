// The lens in a terminal: source lines with their share of the time, and a picture of every access.
#pragma once

#include <string>
#include <vector>

#include "simulator/report.h"

namespace sim::lens {

struct TextStyle {
  bool colour = false;
  bool unicode = true;
};

/// The lines of a source file; empty when it cannot be read.
std::vector<std::string> read_source(const std::string& file);

/// Pictures of one launch, at most 80 columns wide.
/// @param source  of the file that most lines are in; may be empty
std::vector<std::string> text_of(const KernelRecord& kernel, const std::vector<std::string>& source,
                                 const TextStyle& style);

/// "1.23 ms": a modelled time.
std::string time_in_words(double ns);

/// One character for a lane: 0-9, a-v.
char lane_letter(int lane);

/// "global load, 4 bytes a lane: 32 sectors a request, 4 would do".
std::string access_in_words(const AccessRecord& access);

}  // namespace sim::lens
