// Measuring, in a worker, the speeds that no rung can pass.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ladder {

/// Times the kernels of the ceilings module and pinned copies over the link.
/// @param module  path of the module built from ceilings.cu; empty for the link alone
/// @return keys of Ceilings that could be measured, GB/s
/// @throws CudaFailure, std::runtime_error when the module cannot be loaded
nlohmann::json measure_ceilings(const std::string& module);

}  // namespace ladder
