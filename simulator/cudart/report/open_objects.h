// What a program has made of the CUDA runtime's objects and not yet given back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace sim::cudart {

/// Kinds of objects that are noted here; memory is listed elsewhere.
enum class Object : std::uint8_t { graph, executable_graph, stream, event, pool, texture, surface };

/// Notes that an object was made, and where; or that it was given back.
void opened(Object kind, std::uint64_t handle);
void closed(Object kind, std::uint64_t handle);
inline void opened(Object kind, const void* handle) { opened(kind, reinterpret_cast<std::uint64_t>(handle)); }
inline void closed(Object kind, const void* handle) { closed(kind, reinterpret_cast<std::uint64_t>(handle)); }

/// A stream is destroyed. Work that was given to it goes on.
void stream_destroyed(CUstream_st& stream);

}  // namespace sim::cudart
