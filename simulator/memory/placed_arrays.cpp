#include "simulator/memory/placed_arrays.h"

#include <map>
#include <mutex>

#include "simulator/memory/address_space.h"

namespace sim::memory {

namespace {

struct Arrays {
  std::mutex lock;
  std::map<std::uint64_t, PlacedArray> by_base;
};

Arrays& arrays() {
  static Arrays& all = *new Arrays;
  return all;
}

}  // namespace

void place_array(std::uint64_t base, std::uint64_t size, const ArrayShape& shape) {
  Arrays& all = arrays();
  std::lock_guard hold(all.lock);
  all.by_base[base] = {base, size, shape};
}

const PlacedArray* array_near(std::uint64_t address) {
  Arrays& all = arrays();
  std::lock_guard hold(all.lock);
  const auto above = all.by_base.upper_bound(address);
  const PlacedArray* next = above == all.by_base.end() ? nullptr : &above->second;
  if (next != nullptr && next->base - address > kFarthestIndex) next = nullptr;
  if (above == all.by_base.begin()) return next;
  const PlacedArray* const below = &std::prev(above)->second;
  const std::uint64_t end = below->base + below->size;
  if (address < end) return below;
  if (next != nullptr && next->base - address < address - end) return next;
  return address - end <= kFarthestIndex ? below : nullptr;
}

}  // namespace sim::memory
