// The index that an access has in the source.
#pragma once

#include <string>
#include <string_view>

#include "simulator/report/kernel_record.h"

namespace sim::lens {

/// "tile[threadIdx.x][k]": how a line of the source writes the element that an access is to; empty where the
/// array's name is not known or the line does not have it, or has it with several indices that are read.
std::string expression_in(std::string_view line, const AccessRecord& access);

}  // namespace sim::lens
