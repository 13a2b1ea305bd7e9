// The variants of cudaMemcpy and cudaMemset.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "language/catalogue.h"
#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/launch/sampling.h"
#include "simulator/cudart/memory/copy.h"
#include "simulator/cudart/memory/pointers.h"
#include "simulator/cudart/module/registry.h"
#include "simulator/cudart/stream/deferred_work.h"

namespace sim::cudart {
namespace {

constexpr double kHostCopyGbPerS = 10;
constexpr double kHostCallNs = 1500;

bool& is_lent() {
  static bool yes = false;
  return yes;
}

/// Before a copy becomes a graph's. @throws ApiError where the memory may be gone by the time it runs
void refuse_lent(const ResolvedPointer& to, const ResolvedPointer& from, const char* call) {
  const auto is_pageable = [](const ResolvedPointer& p) { return p.allocation == nullptr; };
  if (is_lent() && (is_pageable(to) || is_pageable(from)))
    refuse(
        cudaErrorNotSupported, sim::FindingKind::unsupported,
        sim::Message("{}: copies from or to pageable memory are not simulated in graphs; page-locked memory "
                     "(cudaMallocHost, cudaHostRegister) is",
                     call));
}

bool is_between_devices(const ResolvedPointer& to, const ResolvedPointer& from) {
  const memory::Allocation *a = to.allocation, *b = from.allocation;
  return a != nullptr && b != nullptr && a->is_of_other_device(b->device) && b->is_of_other_device(a->device);
}

/// Whether one of the two devices may access the other's memory.
bool may_access_either(const ResolvedPointer& to, const ResolvedPointer& from) {
  const int a = to.allocation->device, b = from.allocation->device;
  return device(a).peers.contains(b) || device(b).peers.contains(a);
}

/// Puts a copy on the clock. Pageable memory goes through the driver's staging buffer, which the host fills
/// or empties: it waits, even in an asynchronous copy.
void charge(const ResolvedPointer& to, const ResolvedPointer& from, std::size_t bytes, CUstream_st& stream,
            bool host_waits) {
  Device& d = device();
  const bool over_bus = to.on_device != from.on_device;
  if (is_between_devices(to, from)) {
    // By a copy engine, and not the multiprocessors. Without access to the other's memory it goes by the
    // host's: to there and from there, 29 GB/s on an H200.
    const double rate = may_access_either(to, from) ? d.gpu.peer_copy_gb_per_s : d.gpu.pinned_gb_per_s / 2;
    const double ns = d.gpu.copy_latency_ns + bytes / rate;
    d.clock.run(stream, Engine::to_device, ns);
    return;
  }
  if (!over_bus && to.on_device) {
    d.clock.run(stream, Engine::compute, d.gpu.launch_ns + 2 * bytes / d.gpu.dram_copy_gb_per_s);
    return;
  }
  if (!over_bus) {
    d.clock.run(stream, Engine::none, bytes / kHostCopyGbPerS);
    d.clock.host_waits_until(stream.ready);
    return;
  }
  const bool pinned = to.on_device ? from.pinned : to.pinned;
  const double rate = pinned         ? d.gpu.pinned_gb_per_s
                      : to.on_device ? d.gpu.pageable_gb_per_s
                                     : d.gpu.pageable_back_gb_per_s;
  const Engine engine = to.on_device ? Engine::to_device : Engine::to_host;
  const double end = d.clock.run(stream, engine, d.gpu.copy_latency_ns + bytes / rate);
  if (host_waits || !pinned) d.clock.host_waits_until(end);
}

/// Of pageable memory the driver reads at once what fits into its staging buffer, and waits until it has
/// written it. That counts where the copy is deferred behind a kernel that waits for the host.
/// @return the source's bytes, where they were staged
std::shared_ptr<std::byte[]> wait_or_stage(const ResolvedPointer& to, const ResolvedPointer& from,
                                           std::size_t bytes, CUstream_st& stream, bool host_waits) {
  if (stream.capture != nullptr || !must_defer(stream)) return nullptr;
  const auto pageable = [](const ResolvedPointer& p) { return !p.on_device && !p.pinned; };
  if (host_waits || pageable(to)) wait_for_deferred(stream);
  if (!must_defer(stream) || !pageable(from)) return nullptr;
  std::shared_ptr<std::byte[]> staged(new std::byte[bytes]);
  std::memcpy(staged.get(), from.bytes, bytes);
  return staged;
}

}  // namespace

void copy_pitched(const PitchedBlock& to, const PitchedBlock& from, const CopyExtent& shape, const char* call,
                  cudaMemcpyKind kind, cudaStream_t handle, bool host_waits) {
  CUstream_st& stream = stream_of(handle);
  Device& d = device();
  d.clock.host_spends(kHostCallNs);
  const std::size_t bytes = shape.width * shape.height * shape.depth;
  if (bytes == 0) return;
  require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
  require(shape.width <= to.pitch && shape.width <= from.pitch, cudaErrorInvalidPitchValue);
  const auto extent =
      [shape](const PitchedBlock& b) {  // a copy: it is asked again when a graph runs, long after
        return ((shape.depth - 1) * b.rows + shape.height - 1) * b.pitch + shape.width;
      };
  const auto side = [&](cudaMemcpyKind device_a, cudaMemcpyKind device_b) {
    // Where one side is on the device, so may be the other, whatever the kind says: addresses tell.
    return kind == device_a || kind == device_b ? MemorySide::device
           : kind == cudaMemcpyHostToHost       ? MemorySide::host
                                                : MemorySide::any;
  };
  const ResolvedPointer target = resolve_pointer(to.start, extent(to), call, tr_noop("destination"),
                                                 side(cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice));
  const ResolvedPointer source = resolve_pointer(from.start, extent(from), call, tr_noop("source"),
                                                 side(cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice));
  const std::shared_ptr<std::byte[]> staged_source =
      wait_or_stage(target, source, extent(from), stream, host_waits);
  if (host_waits) {
    forbid_capture(stream);
    d.host_waits_until(0);  // a kernel that failed before it is told of here
  }
  if (stream.capture != nullptr) refuse_lent(target, source, call);
  const bool gapless = shape.width == to.pitch && shape.width == from.pitch && shape.depth == 1;
  const CopyExtent rows = gapless ? CopyExtent{bytes, 1, 1} : shape;
  submit(
      stream,
      [=](CUstream_st& on) {
        const std::byte* const bytes_from = staged_source ? staged_source.get() : source.bytes;
        for (std::size_t z = 0; z < rows.depth; ++z) {
          for (std::size_t y = 0; y < rows.height; ++y) {
            std::memmove(target.bytes + (z * to.rows + y) * to.pitch,
                         bytes_from + (z * from.rows + y) * from.pitch, rows.width);
            note_written(reinterpret_cast<std::uint64_t>(to.start) + (z * to.rows + y) * to.pitch,
                         rows.width);
          }
        }
        record_access(on, {reinterpret_cast<std::uint64_t>(from.start), extent(from), false, false}, call);
        record_access(on, {reinterpret_cast<std::uint64_t>(to.start), extent(to), true, false}, call);
        charge(target, source, bytes, on, host_waits);
        const bool staged =
            target.on_device != source.on_device && !(target.on_device ? source : target).pinned;
        if (host_waits || staged) host_waited_for(on);
      },
      cudaGraphNodeTypeMemcpy);
}

void pageable_memory_is_lent() { is_lent() = true; }

void copy(void* to, const void* from, std::size_t bytes, const char* call, cudaMemcpyKind kind,
          cudaStream_t stream, bool host_waits) {
  copy_pitched({to, bytes, 1}, {from, bytes, 1}, {bytes, 1, 1}, call, kind, stream, host_waits);
}

namespace {
/// Fills bytes of a buffer; where launches are sampled, those that have been touched.
void fill(const ResolvedPointer& target, std::size_t offset, int value, std::size_t bytes) {
  std::byte* const begin = target.bytes + offset;
  if (!sampling() || target.allocation == nullptr) {
    std::memset(begin, value, bytes);
    return;
  }
  for (const ByteRange& range : touched_pages(*target.allocation)) {
    std::byte* const first = std::max(begin, target.allocation->host + range.first);
    std::byte* const last = std::min(begin + bytes, target.allocation->host + range.first + range.bytes);
    if (first < last) std::memset(first, value, std::size_t(last - first));
  }
}
}  // namespace

void fill_pitched(const PitchedBlock& to, int value, const CopyExtent& shape, const char* call,
                  cudaStream_t handle) {
  CUstream_st& stream = stream_of(handle);
  Device& d = device();
  d.clock.host_spends(kHostCallNs);
  const std::size_t bytes = shape.width * shape.height * shape.depth;
  if (bytes == 0) return;
  require(shape.width <= to.pitch);
  const std::size_t extent = ((shape.depth - 1) * to.rows + shape.height - 1) * to.pitch + shape.width;
  const ResolvedPointer target =
      resolve_pointer(to.start, extent, call, tr_noop("destination"), MemorySide::device);
  submit(
      stream,
      [=](CUstream_st& on) {
        for (std::size_t z = 0; z < shape.depth; ++z) {
          for (std::size_t y = 0; y < shape.height; ++y) {
            fill(target, (z * to.rows + y) * to.pitch, value, shape.width);
            note_written(reinterpret_cast<std::uint64_t>(to.start) + (z * to.rows + y) * to.pitch,
                         shape.width);
          }
        }
        record_access(on, {reinterpret_cast<std::uint64_t>(to.start), extent, true, false}, call);
        Device& at = device();
        at.clock.run(on, Engine::compute, at.gpu.launch_ns + bytes / at.gpu.dram_read_gb_per_s);
      },
      cudaGraphNodeTypeMemset);
}

}  // namespace sim::cudart

using namespace sim::cudart;

namespace {

/// A variable's bytes from an offset on, as the device sees them.
/// @param over_bus  the kind of a copy between them and the host
void* symbol_bytes(const void* symbol, std::size_t bytes, std::size_t offset, const char* call,
                   cudaMemcpyKind kind, cudaMemcpyKind over_bus) {
  require(kind == over_bus || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  const sim::memory::Allocation& variable = registry().symbol(symbol);
  if (bytes != 0 && (offset > variable.size || bytes > variable.size - offset)) {
    refuse(cudaErrorInvalidValue, sim::FindingKind::memcpy,
           sim::Message("{}: {} bytes at offset {} do not fit into {} of {} bytes", sim::ApiCall{call}, bytes,
                        offset, variable.name(), variable.size));
  }
  return reinterpret_cast<void*>(variable.base + offset);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return api_apart([](Device&) { return cudaSuccess; });  // the device is not asked
  return done([&] { copy(to, from, bytes, "cudaMemcpy", kind, nullptr, true); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return done([&] { copy(to, from, bytes, "cudaMemcpyAsync", kind, stream, false); });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return done([&] {
    copy_pitched({to, to_pitch, height}, {from, from_pitch, height}, {width, height, 1}, "cudaMemcpy2D", kind,
                 nullptr, true);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return done([&] {
    copy_pitched({to, to_pitch, height}, {from, from_pitch, height}, {width, height, 1}, "cudaMemcpy2DAsync",
                 kind, stream, false);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return done([&] {
    copy(symbol_bytes(symbol, bytes, offset, "cudaMemcpyToSymbolAsync", kind, cudaMemcpyHostToDevice), from,
         bytes, "cudaMemcpyToSymbolAsync", kind, stream, false);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return done([&] {
    copy(symbol_bytes(symbol, bytes, offset, "cudaMemcpyToSymbol", kind, cudaMemcpyHostToDevice), from, bytes,
         "cudaMemcpyToSymbol", kind, nullptr, true);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return done([&] {
    copy(to, symbol_bytes(symbol, bytes, offset, "cudaMemcpyFromSymbolAsync", kind, cudaMemcpyDeviceToHost),
         bytes, "cudaMemcpyFromSymbolAsync", kind, stream, false);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return done([&] {
    copy(to, symbol_bytes(symbol, bytes, offset, "cudaMemcpyFromSymbol", kind, cudaMemcpyDeviceToHost), bytes,
         "cudaMemcpyFromSymbol", kind, nullptr, true);
  });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return done([&] {
    require(pointer);
    *pointer = reinterpret_cast<void*>(registry().symbol(symbol).base);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return done([&] {
    require(bytes);
    *bytes = registry().symbol(symbol).size;
  });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return done([&] { fill_pitched({to, bytes, 1}, value, {bytes, 1, 1}, "cudaMemset", nullptr); });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return done([&] { fill_pitched({to, bytes, 1}, value, {bytes, 1, 1}, "cudaMemsetAsync", stream); });
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return done([&] { fill_pitched({to, pitch, height}, value, {width, height, 1}, "cudaMemset2D", nullptr); });
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return done([&] {
    fill_pitched({to, pitch, height}, value, {width, height, 1}, "cudaMemset2DAsync", stream);
  });
}

}  // extern "C"
