// Creating, describing and destroying texture and surface objects.
#include "simulator/cudart/texture/texture.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "language/catalogue.h"
#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/memory/array.h"
#include "simulator/cudart/memory/pointers.h"
#include "simulator/cudart/report/open_objects.h"

namespace sim::cudart {
namespace {

constexpr std::uint64_t kAlignment = 512;    ///< cudaDevAttrTextureAlignment
constexpr std::size_t kPitchAlignment = 32;  ///< cudaDevAttrTexturePitchAlignment
constexpr std::size_t kMaxPitched = 131072, kMaxPitchedRows = 65000, kMaxLinear = std::size_t{1} << 28;

struct Described {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  cudaResourceViewDesc view{};
  bool has_view = false;
};

memory::Textures& objects() {
  static auto& all = *new memory::Textures;
  return all;
}
/// As they were asked for, by handle.
std::map<std::uint64_t, Described>& descriptions() {
  static auto& all = *new std::map<std::uint64_t, Described>;
  return all;
}

/// Refuses memory that a texture cannot lie in. A program may try, and do without: a note says why it failed.
[[noreturn]] void unfit(const Message& why) {
  report(FindingKind::texture, Message("{}: {}", ApiCall{"cudaCreateTextureObject"}, why), "",
         Cure::texture_rows);
  device().findings.back().severity = Severity::note;
  throw ApiError{cudaErrorInvalidValue};
}

/// Where a buffer lies for the device; its start must be aligned.
memory::Image buffer(const void* pointer, std::size_t bytes, const cudaChannelFormatDesc& channels) {
  require(pointer);
  if (reinterpret_cast<std::uint64_t>(pointer) % kAlignment != 0)
    unfit(Message("the memory starts {} bytes behind a multiple of {}, at which a texture's has to start",
                  reinterpret_cast<std::uint64_t>(pointer) % kAlignment, kAlignment));
  const ResolvedPointer place = resolve_pointer(pointer, bytes, "cudaCreateTextureObject",
                                                tr_noop("texture's memory"), MemorySide::device);
  memory::Image image;
  image.memory = place.allocation;
  image.offset = reinterpret_cast<std::uint64_t>(pointer) - place.allocation->base;
  image.format = format_of(channels);
  return image;
}

/// The image that a resource is. @throws ApiError cudaErrorInvalidValue and others, as CUDA has them
memory::Image resource_image(const cudaResourceDesc& r) {
  switch (r.resType) {
    case cudaResourceTypeArray:
      return image_of(array_of(r.res.array.array));
    case cudaResourceTypeLinear: {
      const auto& from = r.res.linear;
      memory::Image image = buffer(from.devPtr, from.sizeInBytes, from.desc);
      const std::size_t texels = from.sizeInBytes / std::size_t(image.format.bytes());
      require(texels <= kMaxLinear);
      image.width = std::uint32_t(texels);
      image.row_pitch = image.slice_pitch = from.sizeInBytes;
      return image;
    }
    case cudaResourceTypePitch2D: {
      const auto& from = r.res.pitch2D;
      if (from.pitchInBytes % kPitchAlignment != 0)
        unfit(Message("rows start every {} bytes, and those of a texture at multiples of {}",
                      from.pitchInBytes, kPitchAlignment));
      require(from.width > 0 && from.height > 0 && from.width <= kMaxPitched &&
              from.height <= kMaxPitchedRows);
      const std::size_t row = from.width * std::size_t(format_of(from.desc).bytes());
      memory::Image image = buffer(from.devPtr, (from.height - 1) * from.pitchInBytes + row, from.desc);
      image.width = std::uint32_t(from.width);
      image.height = std::uint32_t(from.height);
      image.row_pitch = from.pitchInBytes;
      image.slice_pitch = from.pitchInBytes * from.height;
      return image;
    }
    case cudaResourceTypeMipmappedArray:
      return image_of(array_of(mipmapped_array_of(r.res.mipmap.mipmap).levels.front()));
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

/// The format that a view reads texels in. @throws ApiError cudaErrorInvalidValue; blocks are refused by name
memory::TexelFormat format_of(cudaResourceViewFormat view, const memory::TexelFormat& own) {
  using memory::Channel;
  if (view == cudaResViewFormatNone) return own;
  if (view > cudaResViewFormatFloat4)
    refuse(cudaErrorNotSupported, FindingKind::unsupported,
           tr("textures of compressed blocks are not simulated"));
  static constexpr struct {
    Channel kind;
    int bits;
  } kFormats[] = {{Channel::unsigned_integer, 8},  {Channel::signed_integer, 8},
                  {Channel::unsigned_integer, 16}, {Channel::signed_integer, 16},
                  {Channel::unsigned_integer, 32}, {Channel::signed_integer, 32},
                  {Channel::floating, 16},         {Channel::floating, 32}};
  const int index = int(view) - 1;  // each in one, two and four channels
  const memory::TexelFormat format{kFormats[index / 3].kind, 1 << index % 3, kFormats[index / 3].bits};
  require(format.bytes() == own.bytes());
  return format;
}

/// Takes the part of a resource that a view names.
void apply_view(memory::Texture& t, const cudaResourceViewDesc& view) {
  const memory::Image& whole = t.image;
  require(view.width == whole.width && std::max<std::size_t>(1, view.height) == whole.height &&
          std::max<std::size_t>(1, view.depth) <= whole.slices);
  require(view.firstMipmapLevel <= view.lastMipmapLevel && view.lastMipmapLevel <= t.smaller.size() &&
          view.firstLayer <= view.lastLayer && view.lastLayer < whole.slices);
  std::vector<memory::Image> levels{whole};
  levels.insert(levels.end(), t.smaller.begin(), t.smaller.end());
  for (memory::Image& level : levels) level.format = format_of(view.format, level.format);
  if (view.lastLayer > 0) {
    for (memory::Image& level : levels) {
      level.offset += view.firstLayer * level.slice_pitch;
      level.slices = view.lastLayer - view.firstLayer + 1;
    }
  }
  t.image = levels[view.firstMipmapLevel];
  t.smaller.assign(levels.begin() + view.firstMipmapLevel + 1, levels.begin() + view.lastMipmapLevel + 1);
}

/// @param format  the resource's own: a view's does not count for what is allowed
memory::Sampler sampler_of(const cudaTextureDesc& t, const memory::TexelFormat& format, bool plain) {
  memory::Sampler s;
  for (std::size_t k = 0; k < 3; ++k) {
    require(t.addressMode[k] >= cudaAddressModeWrap && t.addressMode[k] <= cudaAddressModeBorder);
    s.address[k] = static_cast<memory::AddressMode>(t.addressMode[k]);
  }
  require(t.filterMode == cudaFilterModePoint || t.filterMode == cudaFilterModeLinear);
  require(t.readMode == cudaReadModeElementType || t.readMode == cudaReadModeNormalizedFloat);
  const bool floats = format.kind == memory::Channel::floating;
  s.linear = t.filterMode == cudaFilterModeLinear;
  s.normalized = t.normalizedCoords != 0;
  s.normalized_float = t.readMode == cudaReadModeNormalizedFloat && !floats;
  s.srgb = t.sRGB != 0;
  require(t.mipmapFilterMode == cudaFilterModePoint || t.mipmapFilterMode == cudaFilterModeLinear);
  s.linear_levels = t.mipmapFilterMode == cudaFilterModeLinear;
  s.level_bias = t.mipmapLevelBias;
  s.least_level = t.minMipmapLevelClamp;
  s.greatest_level = t.maxMipmapLevelClamp;
  // 32-bit texels have no fractions, and integers cannot be mixed.
  const bool fractions = t.readMode == cudaReadModeNormalizedFloat;
  require(plain || !s.linear || floats || (fractions && format.bits < 32), cudaErrorInvalidFilterSetting);
  require(!fractions || format.bits < 32, cudaErrorInvalidNormSetting);
  std::copy(std::begin(t.borderColor), std::end(t.borderColor), s.border.begin());
  return s;
}

const Described& described(std::uint64_t handle, bool surface) {
  const memory::Texture* found = objects().find(handle);
  require(found && found->surface == surface && !found->destroyed);
  return descriptions()[handle];
}

cudaError_t destroy(std::uint64_t handle, bool surface) {
  return api([&](Device&) {
    // A handle that is none passes unnoticed, as on a GPU.
    sim::memory::Texture* const found = objects().find(handle);
    if (!found || found->surface != surface || found->destroyed) return cudaSuccess;
    found->destroyed = true;
    closed(surface ? Object::surface : Object::texture, handle);
    return cudaSuccess;
  });
}

}  // namespace

const memory::Textures& textures() { return objects(); }

}  // namespace sim::cudart

using namespace sim::cudart;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return api([&](Device&) {
    require(handle && resource);
    require(texture, cudaErrorInvalidResourceHandle);
    may_fail("cudaCreateTextureObject");
    sim::memory::Texture made;
    made.image = resource_image(*resource);
    made.linear_memory = resource->resType == cudaResourceTypeLinear;
    if (resource->resType == cudaResourceTypeMipmappedArray) {
      require(texture->normalizedCoords != 0);
      const auto& levels = mipmapped_array_of(resource->res.mipmap.mipmap).levels;
      for (std::size_t k = 1; k < levels.size(); ++k) made.smaller.push_back(image_of(array_of(levels[k])));
    }
    const sim::memory::TexelFormat own = made.image.format;
    made.sampler = sampler_of(*texture, own, made.linear_memory);
    if (view) {
      apply_view(made, *view);
      // Fractions stay fractions only in a format that has them. Narrow integers seen in 32-bit ones become
      // fractions: that texels are to be read as integers is not said of 32-bit texels, which are so anyway.
      const auto& seen = made.image.format;
      const bool narrow = seen.kind != sim::memory::Channel::floating && seen.bits < 32;
      made.sampler.normalized_float =
          narrow &&
          (made.sampler.normalized_float || (own.kind != sim::memory::Channel::floating && own.bits == 32));
    }
    *handle = objects().add(made);
    opened(Object::texture, *handle);
    descriptions()[*handle] = {*resource, *texture, view ? *view : cudaResourceViewDesc{}, view != nullptr};
    return cudaSuccess;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) { return destroy(handle, false); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t handle) {
  return api([&](Device&) {
    require(resource);
    *resource = described(handle, false).resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t handle) {
  return api([&](Device&) {
    require(texture);
    *texture = described(handle, false).texture;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t handle) {
  return api([&](Device&) {
    require(view);
    const Described& known = described(handle, false);
    require(known.has_view);
    *view = known.view;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
  return api([&](Device&) {
    require(handle && resource);
    require(resource->resType == cudaResourceTypeArray);
    may_fail("cudaCreateSurfaceObject");
    const cudaArray& array = array_of(resource->res.array.array);
    sim::memory::Texture made;
    made.image = image_of(array);
    made.surface = true;
    *handle = objects().add(made);
    opened(Object::surface, *handle);
    descriptions()[*handle] = {*resource, {}};
    return cudaSuccess;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) { return destroy(handle, true); }

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t handle) {
  return api([&](Device&) {
    require(resource);
    *resource = described(handle, true).resource;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const cudaChannelFormatDesc* channels,
                                                 int id) {
  return api([&](Device&) {
    require(texels && channels);
    device(id);  // it exists
    format_of(*channels);
    *texels = kMaxLinear;
    return cudaSuccess;
  });
}

}  // extern "C"
