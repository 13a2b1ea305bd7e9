#include "simulator/cudart/report/sampled_arrays.h"

#include <algorithm>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/decode/program.h"
#include "simulator/engine/shared_name.h"
#include "simulator/memory/placed_arrays.h"

namespace sim::cudart {
namespace {

ArrayShape global_array(std::uint64_t address, std::uint32_t bytes) {
  const memory::Allocation* const buffer = device().space.find(address);
  if (buffer == nullptr || !buffer->contains(address, bytes)) return {};
  ArrayShape array;
  const memory::PlacedArray* const placed = memory::array_near(address);
  if (placed != nullptr && placed->base == buffer->base)
    array = placed->shape;
  else if (buffer->kind == memory::Kind::symbol)
    array = {exec::source_name(buffer->origin), bytes, {static_cast<std::int64_t>(buffer->size / bytes)}};
  array.start += buffer->base;
  return array;
}

ArrayShape shared_array(std::uint64_t offset, std::uint32_t bytes, const CheckedLaunch& launch) {
  const exec::SharedVariable* const found =
      exec::find_shared(*launch.program->code, static_cast<std::uint32_t>(offset));
  if (found == nullptr) return {};
  exec::SharedVariable variable = *found;
  // Its extents are in the debug information, which a build without -G does not have.
  if (variable.type == nullptr) variable.type = type_in_check_build(*launch.kernel, variable.name);
  ArrayShape array = exec::shape_of(variable, bytes);
  array.start = variable.offset;
  return array;
}

}  // namespace

void name_arrays(std::vector<LineRecord>& lines, const CheckedLaunch& launch) {
  for (LineRecord& line : lines)
    for (AccessRecord& access : line.accesses) {
      if (access.sample.mask == 0) continue;
      const std::uint32_t bytes = std::max(access.bytes, 1U);
      if (access.space == MemorySpace::global) access.array = global_array(access.sample.first, bytes);
      if (access.space == MemorySpace::shared)
        access.array = shared_array(access.sample.first, bytes, launch);
    }
}

}  // namespace sim::cudart
