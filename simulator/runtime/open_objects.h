// What a program has made of the CUDA runtime's objects and not yet given back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace sim::runtime {

/// Kinds of objects that are counted here; memory and graphs are listed elsewhere.
enum class Object : std::uint8_t { stream, event, pool, texture, surface };

/// Notes that an object was made, or given back.
void opened(Object kind);
void closed(Object kind);

/// A stream is destroyed. Work that was given to it goes on.
void leaves(CUstream_st& stream);

}  // namespace sim::runtime
