// Textures and surfaces: images in device memory, how they are sampled, and the handles that kernels hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/memory/address_space.h"

namespace sim::memory {

enum class Channel : std::uint8_t { signed_integer, unsigned_integer, floating };

/// What a texel is made of.
struct TexelFormat {
  Channel kind = Channel::floating;
  int channels = 1;
  int bits = 32;  ///< of each channel: 8, 16 or 32
  int bytes() const { return channels * bits / 8; }
};

/// Texels in device memory, row by row, slice by slice.
struct Image {
  const Allocation* memory = nullptr;
  std::uint64_t offset = 0;  ///< of the first texel within the allocation
  TexelFormat format;
  std::uint32_t width = 1, height = 1;
  std::uint32_t slices = 1;  ///< depth, layers, or faces times layers
  std::uint64_t row_pitch = 0, slice_pitch = 0;
  /// Where a texel lies on the host; its coordinates are inside the image.
  std::byte* at(std::uint32_t x, std::uint32_t y, std::uint32_t slice) const {
    return memory->host + offset + slice * slice_pitch + y * row_pitch +
           std::uint64_t(x) * std::uint64_t(format.bytes());
  }
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct Sampler {
  std::array<AddressMode, 3> address{};
  bool linear = false;
  bool normalized = false;        ///< coordinates from 0 to 1 across the image
  bool normalized_float = false;  ///< integers are read as fractions of their range
  bool srgb = false;
  std::array<float, 4> border{};
  bool linear_levels = false;  ///< between mipmap levels
  float level_bias = 0, least_level = 0, greatest_level = 0;
};

/// What a handle stands for.
struct Texture {
  Image image;                 ///< the first mipmap level, which most have alone
  std::vector<Image> smaller;  ///< the further levels
  Sampler sampler;
  bool surface = false;
  bool linear_memory = false;  ///< a plain buffer: fetched by index only
  bool destroyed = false;
};

/// Four channels of a result: floats, or integers as the format has them.
struct Texel {
  std::array<std::uint32_t, 4> bits{};
};

enum class Geometry : std::uint8_t { line, plane, volume, cube };

/// Reads a texture as tex does. @param at  coordinates: as many as the geometry has
/// @param layer  of a layered texture, else 0; at most the last one there is
Texel sample(const Texture& texture, Geometry geometry, const float* at, std::int64_t layer, bool layered);

/// The same at a level of detail: 0 is the first mipmap level, 1 the next, fractions lie between.
Texel sample_level(const Texture& texture, Geometry geometry, const float* at, std::int64_t layer,
                   bool layered, float level);

/// The level of detail at which neighbouring threads, whose coordinates are @p dx and @p dy apart, read
/// neighbouring texels.
float level_of_gradients(const Texture& texture, int coordinates, const float* dx, const float* dy);

/// Reads the texel of an index, as tex does with integer coordinates: outside the image, zeros.
Texel fetch(const Texture& texture, const std::int64_t* at, std::int64_t layer);

/// One channel of the four texels that linear filtering would mix, as tld4 gives them.
Texel gather(const Texture& texture, const float* at, int channel);

/// Handles of textures and surfaces: never used twice, so that a destroyed one can be told.
class Textures {
 public:
  std::uint64_t add(const Texture& texture);
  /// @return null when no such handle was ever given out
  Texture* find(std::uint64_t handle);
  const Texture* find(std::uint64_t handle) const;

 private:
  std::vector<std::unique_ptr<Texture>> all_;
};

}  // namespace sim::memory
