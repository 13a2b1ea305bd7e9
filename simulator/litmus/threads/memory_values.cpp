#include "simulator/litmus/threads/memory_values.h"

#include <algorithm>

#include "simulator/litmus/threads/record.h"

namespace sim::litmus {

int MemoryValues::locate(bool shared, std::uint64_t block, std::uint64_t address, unsigned bytes,
                         const std::byte* host) {
  const auto key = std::tuple(shared, block, address);
  const auto next = by_address_.lower_bound(key);
  const auto same_memory = [&](const Location& l) { return l.shared == shared && l.block == block; };
  if (next != by_address_.end()) {
    const Location& l = locations_[std::size_t(next->second)];
    if (next->first == key && l.bytes == bytes) return next->second;
    if (same_memory(l) && l.address < address + bytes)
      throw Unexplorable(
          "accesses of different sizes overlap; the model's axioms say nothing of their races");
  }
  if (next != by_address_.begin()) {
    const Location& l = locations_[std::size_t(std::prev(next)->second)];
    if (same_memory(l) && l.address + l.bytes > address)
      throw Unexplorable(
          "accesses of different sizes overlap; the model's axioms say nothing of their races");
  }
  const std::uint64_t first = value_at(host, bytes);
  locations_.push_back({shared, block, address, bytes, first, false, false, {first}});
  ++count_;
  return by_address_[key] = int(locations_.size()) - 1;
}

void MemoryValues::may_hold(int location, std::uint64_t value) {
  auto& values = (*this)[location].values;
  (*this)[location].written = true;
  if (std::find(values.begin(), values.end(), value) != values.end()) return;
  values.push_back(value);
  ++count_;
}

}  // namespace sim::litmus
