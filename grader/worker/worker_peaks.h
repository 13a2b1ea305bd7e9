// Measuring, in a worker, the speeds that no rung can pass.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ladder {

/// Times the kernels of the peaks module and pinned copies over the link.
/// @param module  path of the module built from peaks.cu; empty for the link alone
/// @return keys of Peaks that could be measured, GB/s
/// @throws CudaFailure, std::runtime_error when the module cannot be loaded
nlohmann::json measure_peaks(const std::string& module);

}  // namespace ladder
