// Sampling: the formulas of "Texture Fetching" in the CUDA C++ Programming Guide.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "simulator/memory/srgb.h"
#include "simulator/memory/texture.h"

namespace sim::memory {

namespace {

using std::int64_t;
using std::uint16_t;
using std::uint32_t;

constexpr int kFraction = 8;  ///< bits of a filter weight: 1.8 fixed point
constexpr int kWhole = 1 << kFraction;
constexpr int64_t kOutside = -1;

/// The two neighbours of a coordinate and the weight of the second, in 1/256.
struct Neighbours {
  int64_t first, second;
  int weight;
};

/// An index into the image for one that may lie outside; kOutside for the border.
int64_t addressed(int64_t index, int64_t size, AddressMode mode) {
  if (index >= 0 && index < size) return index;
  switch (mode) {
    case AddressMode::wrap:
      return (index % size + size) % size;
    case AddressMode::mirror: {
      const int64_t period = 2 * size, within = (index % period + period) % period;
      return within < size ? within : period - 1 - within;
    }
    case AddressMode::border:
      return kOutside;
    default:
      return std::clamp<int64_t>(index, 0, size - 1);
  }
}

/// Repeating images are for normalised coordinates; others clamp.
AddressMode mode_of(const Sampler& s, int axis) {
  const AddressMode mode = s.address[static_cast<std::size_t>(axis)];
  return s.normalized || mode == AddressMode::border ? mode : AddressMode::clamp;
}

/// A coordinate in texels, kept within what integers hold. Normalised ones have 21 bits behind the point, and
/// repeating images see only what is left of whole repetitions: so an H200 shows.
double in_texels(const Sampler& s, float coordinate, int64_t size, AddressMode mode) {
  double x = coordinate;
  if (s.normalized) {
    const double period = mode == AddressMode::wrap ? 1 : mode == AddressMode::mirror ? 2 : 0;
    if (period != 0) x -= period * std::floor(x / period);  // of an infinity: NaN
    x = std::floor(x * 0x1p21) * 0x1p-21 * static_cast<double>(size);
  }
  return std::fabs(x) < 1e9 ? x : x > 0 ? 1e9 : x < 0 ? -1e9 : 0;
}

Neighbours neighbours(const Sampler& s, int axis, float coordinate, int64_t size, bool linear) {
  const AddressMode mode = mode_of(s, axis);
  const double x = in_texels(s, coordinate, size, mode);
  if (!linear) {
    const int64_t index = addressed(static_cast<int64_t>(std::floor(x)), size, mode);
    return {index, index, 0};
  }
  const int64_t fixed = static_cast<int64_t>(std::floor((x - 0.5) * kWhole + 0.5));
  const int64_t index = fixed >> kFraction;
  return {addressed(index, size, mode), addressed(index + 1, size, mode),
          static_cast<int>(fixed & (kWhole - 1))};
}

float from_half(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16, rest = h & 0x7FFFu;
  if (rest >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000u | (rest & 0x3FFu) << 13);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(std::bit_cast<float>(rest << 13) * 0x1p112f) | sign);
}

/// A channel's bits, extended by its sign.
uint32_t channel_bits(const TexelFormat& f, const std::byte* from, int channel) {
  uint32_t v = 0;
  const int bytes = f.bits / 8;
  std::memcpy(&v, from + channel * bytes, static_cast<std::size_t>(bytes));
  if (f.kind != Channel::signed_integer || f.bits == 32) return v;
  const int shift = 32 - f.bits;
  return static_cast<uint32_t>(static_cast<std::int32_t>(v << shift) >> shift);
}

bool reads_floats(const Texture& t) {
  return t.image.format.kind == Channel::floating || t.sampler.normalized_float;
}

/// A channel as a number, for filtering and for reads of fractions.
float channel_value(const Texture& t, uint32_t bits, int channel) {
  const TexelFormat& f = t.image.format;
  if (f.kind == Channel::floating) {
    return f.bits == 16 ? from_half(static_cast<uint16_t>(bits)) : std::bit_cast<float>(bits);
  }
  if (f.kind == Channel::unsigned_integer) {
    if (t.sampler.srgb && f.bits == 8 && channel < 3) return static_cast<float>(kLinearOfSrgb[bits]) / 16384;
    return static_cast<float>(bits) / static_cast<float>((1u << f.bits) - 1);
  }
  const float greatest = static_cast<float>((1u << (f.bits - 1)) - 1);
  return std::max(static_cast<float>(static_cast<std::int32_t>(bits)) / greatest, -1.0f);
}

float rounded_to_half(float v);

/// A number as a format of fractions or halves holds it: clamped and rounded to its steps.
float in_format(const TexelFormat& f, float v) {
  if (f.kind == Channel::floating) return f.bits == 16 ? rounded_to_half(v) : v;
  const bool is_signed = f.kind == Channel::signed_integer;
  const float steps = static_cast<float>((1u << (is_signed ? f.bits - 1 : f.bits)) - 1);
  return std::floor(std::clamp(v, is_signed ? -1.0f : 0.0f, 1.0f) * steps + 0.5f) / steps;
}

/// The border's colour in a channel: a number of the format; of integers, the low bits of the float.
uint32_t border_bits(const Texture& t, int channel) {
  const TexelFormat& f = t.image.format;
  const float border = t.sampler.border[static_cast<std::size_t>(channel)];
  if (reads_floats(t)) return std::bit_cast<uint32_t>(in_format(f, border));
  std::array<std::byte, 4> bytes;
  std::memcpy(bytes.data(), &border, sizeof border);
  return channel_bits({f.kind, 1, f.bits}, bytes.data(), 0);
}

/// One texel, or the border: kOutside on any axis. Channels that the format lacks are zero.
Texel texel(const Texture& t, int64_t x, int64_t y, int64_t slice) {
  Texel result;
  const bool outside = x == kOutside || y == kOutside || slice == kOutside;
  const std::byte* from =
      outside ? nullptr
              : t.image.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(slice));
  const bool floats = reads_floats(t);
  for (int c = 0; c < t.image.format.channels; ++c) {
    uint32_t& to = result.bits[static_cast<std::size_t>(c)];
    if (outside) {
      to = border_bits(t, c);
    } else {
      const uint32_t bits = channel_bits(t.image.format, from, c);
      to = floats ? std::bit_cast<uint32_t>(channel_value(t, bits, c)) : bits;
    }
  }
  return result;
}

/// Rounded to 11 bits, ties away from zero, with a half's least exponent.
float rounded_to_half(float v) {
  if (!(std::fabs(v) < 65520)) return std::isnan(v) ? v : std::copysign(HUGE_VALF, v);
  int exponent = 0;
  std::frexp(v, &exponent);
  const float step = std::ldexp(1.0f, std::max(exponent, -13) - 11);
  return std::copysign(std::floor(std::fabs(v) / step + 0.5f) * step, v);
}

/// What filtering hands on: halves as halves, fractions in steps of 16 bits, colours made linear as halves.
float handed_on(const Texture& t, std::size_t channel, double v) {
  const TexelFormat& f = t.image.format;
  const float mixed = static_cast<float>(v);
  if (f.kind == Channel::floating) return f.bits == 16 ? rounded_to_half(mixed) : mixed;
  if (t.sampler.srgb && f.bits == 8 && channel < 3) return rounded_to_half(mixed);
  const double steps = f.kind == Channel::signed_integer ? 32767 : 65535;
  return static_cast<float>(std::floor(v * steps + 0.5) / steps);
}

int product(int a, int b) { return (a * b + kWhole / 2) >> kFraction; }

/// Weights of the corners, by x in bit 0, y in bit 1 and z in bit 2: in 1/256, adding up to one. The rounding
/// is what an H200 shows: the weights of a plane (x, y; in a volume x, z) have one product, and a volume's
/// are split once more along y.
std::array<int, 8> corner_weights(int x, int y, int z) {
  const auto plane = [](int u, int v) {
    const int both = product(u, v);
    return std::array<int, 4>{kWhole - u - v + both, u - both, v - both, both};
  };
  std::array<int, 8> weight{};
  if (z == 0) {
    const auto flat = plane(x, y);
    std::copy(flat.begin(), flat.end(), weight.begin());
    return weight;
  }
  const auto flat = plane(x, z);
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t corner = (k & 1) | (k >> 1) << 2;
    weight[corner | 2] = product(flat[k], y);
    weight[corner] = flat[k] - weight[corner | 2];
  }
  return weight;
}

/// The eight, four or two texels around a place, mixed.
Texel filtered(const Texture& t, const std::array<Neighbours, 3>& n) {
  const std::array<int, 8> weight = corner_weights(n[0].weight, n[1].weight, n[2].weight);
  std::array<double, 4> sum{};
  for (std::size_t corner = 0; corner < 8; ++corner) {
    if (weight[corner] == 0) continue;
    const auto at = [&](std::size_t axis) { return corner >> axis & 1 ? n[axis].second : n[axis].first; };
    const Texel value = texel(t, at(0), at(1), at(2));
    for (std::size_t c = 0; c < 4; ++c)
      sum[c] += weight[corner] * double(std::bit_cast<float>(value.bits[c]));
  }
  Texel result;
  for (std::size_t c = 0; c < 4; ++c)
    result.bits[c] = std::bit_cast<uint32_t>(handed_on(t, c, sum[c] / kWhole));
  return result;
}

/// The face of a cube that a direction meets, and where, from 0 to 1.
int cube_face(const float* direction, std::array<float, 2>& at) {
  const float x = direction[0], y = direction[1], z = direction[2];
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  int face;
  float major, s, u;
  if (az >= ax && az >= ay) {  // of equal ones the last axis
    face = z < 0 ? 5 : 4;
    major = az;
    s = z < 0 ? -x : x;
    u = -y;
  } else if (ay >= ax) {
    face = y < 0 ? 3 : 2;
    major = ay;
    s = x;
    u = y < 0 ? -z : z;
  } else {
    face = x < 0 ? 1 : 0;
    major = ax;
    s = x < 0 ? z : -z;
    u = -y;
  }
  if (major == 0) major = 1;
  at = {(s / major + 1) / 2, (u / major + 1) / 2};
  return face;
}

int64_t clamped_layer(const Image& image, int64_t layer, int64_t slices_each) {
  return std::min<int64_t>(layer, int64_t(image.slices) / slices_each - 1) * slices_each;
}

}  // namespace

Texel sample(const Texture& t, Geometry geometry, const float* at, int64_t layer, bool layered) {
  const Image& image = t.image;
  std::array<Neighbours, 3> n{};
  std::array<float, 2> on_face{};
  const bool linear = t.sampler.linear && reads_floats(t);
  if (geometry == Geometry::cube) {
    const int64_t slice = clamped_layer(image, layer, 6) + cube_face(at, on_face);
    n[2] = {slice, slice, 0};
    at = on_face.data();
  } else if (geometry != Geometry::volume) {
    const int64_t slice = clamped_layer(image, layer, 1);
    n[2] = {slice, slice, 0};
  } else {
    n[2] = neighbours(t.sampler, 2, at[2], image.slices, linear);
  }
  n[0] = neighbours(t.sampler, 0, at[0], image.width, linear);
  if (geometry == Geometry::line && linear && !layered && mode_of(t.sampler, 1) == AddressMode::border) {
    n[1] = {kOutside, 0, kWhole / 2};  // the hardware reads a line as a plane at y = 0: halfway to the border
  }
  if (geometry != Geometry::line) n[1] = neighbours(t.sampler, 1, at[1], image.height, linear);
  return linear ? filtered(t, n) : texel(t, n[0].first, n[1].first, n[2].first);
}

Texel fetch(const Texture& t, const int64_t* at, int64_t layer) {
  const Image& i = t.image;
  const bool inside =
      at[0] >= 0 && at[0] < i.width && at[1] >= 0 && at[1] < i.height && at[2] >= 0 && at[2] < i.slices;
  if (!inside) return {};
  return texel(t, at[0], at[1], at[2] + clamped_layer(i, layer, 1));
}

Texel gather(const Texture& t, const float* at, int channel) {
  const Neighbours x = neighbours(t.sampler, 0, at[0], t.image.width, true),
                   y = neighbours(t.sampler, 1, at[1], t.image.height, true);
  const auto one = [&](int64_t i, int64_t j) {
    return texel(t, i, j, 0).bits[static_cast<std::size_t>(channel)];
  };
  return {{one(x.first, y.second), one(x.second, y.second), one(x.second, y.first), one(x.first, y.first)}};
}

std::uint64_t Textures::add(const Texture& texture) {
  all_.push_back(std::make_unique<Texture>(texture));
  return all_.size();
}

Texture* Textures::find(std::uint64_t handle) {
  return handle == 0 || handle > all_.size() ? nullptr : all_[handle - 1].get();
}
const Texture* Textures::find(std::uint64_t handle) const {
  return const_cast<Textures*>(this)->find(handle);
}

}  // namespace sim::memory
