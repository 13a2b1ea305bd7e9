// Reads of mipmapped textures that name no level.
#pragma once

#include "simulator/memory/texture.h"

namespace sim::memory {

/// Reads a mipmapped texture at the first level that its sampler allows, whatever its bias.
Texel sample_least_level(const Texture& texture, Geometry geometry, const float* at, std::int64_t layer,
                         bool layered);

}  // namespace sim::memory
