#include "grader/judge/diagnose/stores.h"

#include <algorithm>
#include <bit>

#include "grader/lesson/element.h"

namespace ladder::diagnose {

std::optional<StoredAgain> stored_again(std::span<const sim::KernelRecord> kernels,
                                        std::span<const Buffer> buffers, std::int64_t least) {
  StoredAgain most;
  std::size_t narrowest = 8;
  for (const Buffer& buffer : buffers) {
    // What the host fills in says nothing of how often a kernel stores.
    if (buffer.role == Buffer::Role::input || buffer.location == Buffer::Location::host) continue;
    most.elements += buffer.elements();
    narrowest = std::min(narrowest, size_of(buffer.type));
  }
  for (const sim::KernelRecord& kernel : kernels)
    for (const sim::LineRecord& line : kernel.lines) {
      std::int64_t stores = 0;
      for (const sim::AccessRecord& access : line.accesses) {
        if (access.space != sim::MemorySpace::global || access.access != sim::AccessKind::write) continue;
        // The costliest pattern speaks for all; a lane that stores a vector stores several elements.
        const auto lanes = static_cast<std::int64_t>(access.requests) * std::popcount(access.sample.mask);
        stores += lanes * static_cast<std::int64_t>(std::max<std::size_t>(1, access.bytes / narrowest));
      }
      if (stores <= most.stores) continue;
      most.stores = stores;
      most.file = line.file;
      most.line = line.line;
    }
  if (most.elements == 0 || most.times() < least) return std::nullopt;
  return most;
}

}  // namespace ladder::diagnose
