#include "simulator/cudart/memory/unshare.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "simulator/memory/arena.h"

namespace sim::cudart {
namespace {

using memory::kPage;
using Range = std::pair<std::uint64_t, std::uint64_t>;  ///< from, to

/// Mappings of this process that other processes see.
std::vector<Range> shared_mappings() {
  std::vector<Range> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0, to = 0;
    char access[5] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, access) == 3 && access[3] == 's')
      found.emplace_back(from, to);
  }
  return found;
}

}  // namespace

void unshare_registered(const memory::AddressSpace& space) {
  std::vector<const memory::Allocation*> registered = space.live();
  std::erase_if(registered, [](const memory::Allocation* a) { return !a->registered; });
  if (registered.empty()) return;
  for (const auto& [from, to] : shared_mappings())
    for (const memory::Allocation* a : registered) {
      const std::uint64_t first = std::max(from, a->base / kPage * kPage),
                          end = std::min(to, (a->base + a->size + kPage - 1) / kPage * kPage);
      if (first >= end) continue;
      void* const at = reinterpret_cast<void*>(first);
      const std::vector<char> bytes(static_cast<char*>(at), static_cast<char*>(at) + (end - first));
      constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
      if (mmap(at, end - first, PROT_READ | PROT_WRITE, kOwn, -1, 0) != MAP_FAILED)
        std::memcpy(at, bytes.data(), bytes.size());
    }
}

}  // namespace sim::cudart
