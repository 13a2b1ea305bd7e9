#include "simulator/cudart/memory/managed.h"

#include <algorithm>
#include <cstring>

namespace sim::cudart {
namespace {

std::uint64_t granule_bytes(const memory::Allocation* allocation, std::size_t index) {
  return std::min(ManagedPages::kGranule, allocation->size - index * ManagedPages::kGranule);
}

/// Tells whether a granule changed; four lanes, so that it runs at memory speed.
std::uint64_t checksum(const memory::Allocation* allocation, std::size_t index) {
  const std::byte* bytes = allocation->host + index * ManagedPages::kGranule;
  const std::uint64_t size = granule_bytes(allocation, index);
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  std::uint64_t at = 0;
  for (; at + 32 <= size; at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes + at, 32);
    for (int i = 0; i < 4; ++i) lanes[i] = (lanes[i] ^ words[i]) * kMultiplier;
  }
  for (; at < size; ++at) lanes[0] = (lanes[0] ^ std::to_integer<std::uint64_t>(bytes[at])) * kMultiplier;
  return lanes[0] ^ (lanes[1] >> 7) ^ (lanes[2] >> 13) ^ (lanes[3] >> 29);
}

}  // namespace

void ManagedPages::add(const memory::Allocation* allocation) {
  buffers_[allocation].resize((allocation->size + kGranule - 1) / kGranule);
}

ManagedPages::Migration ManagedPages::remove(const memory::Allocation* allocation) {
  Migration read_back;
  const auto found = buffers_.find(allocation);
  if (found == buffers_.end()) return read_back;
  for (std::size_t i = 0; i < found->second.size(); ++i) {
    if (found->second[i].written_by_kernel) read_back += {1, granule_bytes(allocation, i)};
  }
  buffers_.erase(found);
  return read_back;
}

ManagedPages::Migration ManagedPages::before_kernel(const memory::Allocation* allocation, Migration& host) {
  Migration move;
  Buffer& buffer = buffers_[allocation];
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    Granule& granule = buffer[i];
    const Migration one{1, granule_bytes(allocation, i)};
    const std::uint64_t sum = checksum(allocation, i);
    if (granule.on_device && sum != granule.checksum) {
      host += one;
      granule.on_device = false;
    }
    if (!granule.on_device) move += one;
    granule.on_device = true;
    granule.checksum = sum;
  }
  return move;
}

void ManagedPages::after_kernel(const memory::Allocation* allocation) {
  Buffer& buffer = buffers_[allocation];
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    const std::uint64_t sum = checksum(allocation, i);
    buffer[i].written_by_kernel |= sum != buffer[i].checksum;
    buffer[i].checksum = sum;
  }
}

ManagedPages::Migration ManagedPages::prefetch(const memory::Allocation* allocation, std::uint64_t offset,
                                               std::uint64_t bytes, bool to_device) {
  Migration move;
  if (bytes == 0) return move;
  Buffer& buffer = buffers_[allocation];
  const std::size_t last = std::min<std::size_t>((offset + bytes - 1) / kGranule + 1, buffer.size());
  for (std::size_t i = offset / kGranule; i < last; ++i) {
    Granule& granule = buffer[i];
    if (granule.on_device != to_device) move += {1, granule_bytes(allocation, i)};
    granule.on_device = to_device;
    if (to_device) granule.checksum = checksum(allocation, i);
    if (!to_device) granule.written_by_kernel = false;
  }
  return move;
}

bool ManagedPages::on_device(const memory::Allocation* allocation, std::uint64_t offset) const {
  const auto found = buffers_.find(allocation);
  return found != buffers_.end() && offset / kGranule < found->second.size() &&
         found->second[offset / kGranule].on_device;
}

}  // namespace sim::cudart
