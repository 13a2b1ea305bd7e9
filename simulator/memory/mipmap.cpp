// Levels of detail: which mipmap levels a read takes, and how two of them are mixed.
#include <algorithm>
#include <bit>
#include <cmath>

#include "simulator/memory/mipmap.h"
#include "simulator/memory/texture.h"

namespace sim::memory {

constexpr int kSteps = 256;  ///< between two levels

/// In steps, towards zero.
static float in_steps(float level) { return std::trunc(level * kSteps) / kSteps; }

Texel sample_level(const Texture& t, Geometry geometry, const float* at, std::int64_t layer, bool layered,
                   float level) {
  const Sampler& s = t.sampler;
  level = std::clamp(in_steps(level) + in_steps(s.level_bias), s.least_level,
                     std::max(s.least_level, s.greatest_level));
  level = std::clamp(level, 0.0f, static_cast<float>(t.smaller.size()));  // of a NaN: 0
  const auto sampled = [&](std::size_t which) {
    if (which == 0) return sample(t, geometry, at, layer, layered);
    Texture one{t.smaller[which - 1], {}, s, t.surface, t.linear_memory, t.destroyed};
    return sample(one, geometry, at, layer, layered);
  };
  const int fixed = static_cast<int>(s.linear_levels ? level * kSteps : std::floor(level + 0.5f) * kSteps);
  const auto first = static_cast<std::size_t>(fixed / kSteps);
  Texel result = sampled(first);
  const bool mixes = t.image.format.kind == Channel::floating || s.normalized_float;
  const int weight = fixed % kSteps;
  if (weight == 0 || !mixes) return result;
  const Texel next = sampled(first + 1);
  for (std::size_t c = 0; c < 4; ++c) {
    const double a = std::bit_cast<float>(result.bits[c]), b = std::bit_cast<float>(next.bits[c]);
    result.bits[c] =
        std::bit_cast<std::uint32_t>(static_cast<float>((a * (kSteps - weight) + b * weight) / kSteps));
  }
  return result;
}

Texel sample_least_level(const Texture& t, Geometry geometry, const float* at, std::int64_t layer,
                         bool layered) {
  return sample_level(t, geometry, at, layer, layered, -in_steps(t.sampler.level_bias));
}

float level_of_gradients(const Texture& t, int coordinates, const float* dx, const float* dy) {
  const double size[3] = {double(t.image.width), double(t.image.height), double(t.image.slices)};
  double longest = 0;
  for (const float* d : {dx, dy}) {
    double squares = 0;
    for (int k = 0; k < coordinates; ++k) {
      const double texels = d[k] * (t.sampler.normalized ? size[k] : 1);
      squares += texels * texels;
    }
    longest = std::max(longest, squares);
  }
  return longest > 0 ? static_cast<float>(std::log2(longest) / 2) : 0;
}

}  // namespace sim::memory
