#pragma once

#include <array>
#include <cstdint>

namespace sim {

using Index3 = std::array<std::uint32_t, 3>;  ///< x, y, z

}  // namespace sim
