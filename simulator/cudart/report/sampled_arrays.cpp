#include "simulator/cudart/launch/sampled_arrays.h"

#include <algorithm>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/decode/program.h"
#include "simulator/engine/shared_name.h"
#include "simulator/memory/placed_arrays.h"

namespace sim::cudart {
namespace {

void name_global(AccessSample& sample, std::uint32_t bytes) {
  const memory::Allocation* const buffer = device().space.find(sample.first);
  if (buffer == nullptr || !buffer->contains(sample.first, bytes)) return;
  const auto offset = static_cast<std::int64_t>(sample.first - buffer->base);
  const memory::PlacedArray* const placed = memory::array_near(sample.first);
  if (placed != nullptr && placed->base == buffer->base)
    sample.array = placed->shape;
  else if (buffer->kind == memory::Kind::symbol)
    sample.array = {
        exec::source_name(buffer->origin), bytes, {static_cast<std::int64_t>(buffer->size / bytes)}};
  sample.in_array = offset - static_cast<std::int64_t>(sample.array.start);
}

void name_shared(AccessSample& sample, std::uint32_t bytes, const CheckedLaunch& launch) {
  const auto offset = static_cast<std::uint32_t>(sample.first);
  const exec::SharedVariable* const found = exec::find_shared(*launch.program->code, offset);
  if (found == nullptr) return;
  exec::SharedVariable variable = *found;
  // Its extents are in the debug information, which a build without -G does not have.
  if (variable.type == nullptr) variable.type = type_in_check_build(*launch.kernel, variable.name);
  sample.array = exec::shape_of(variable, bytes);
  sample.in_array = std::int64_t{offset} - variable.offset;
}

}  // namespace

void name_arrays(std::vector<LineRecord>& lines, const CheckedLaunch& launch) {
  for (LineRecord& line : lines)
    for (AccessRecord& access : line.accesses) {
      const std::uint32_t bytes = std::max(access.bytes, 1U);
      const auto name = [&](AccessSample& sample) {
        if (sample.mask == 0) return;
        if (access.space == MemorySpace::global) name_global(sample, bytes);
        if (access.space == MemorySpace::shared) name_shared(sample, bytes, launch);
      };
      name(access.sample);
      std::for_each(access.steps.begin(), access.steps.end(), name);
    }
}

}  // namespace sim::cudart
