#include "simulator/runtime/host_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <filesystem>

namespace sim::runtime {
namespace {

/// The loaded file that an address lies in; null where it lies in none.
const link_map* file_of(void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return nullptr;
  return map;
}

}  // namespace

HostPlace host_place() {
  HostPlace place;
  place.size = ::backtrace(place.addresses.data(), static_cast<int>(place.addresses.size()));
  return place;
}

std::vector<std::string> frames_of(const HostPlace& place) {
  const link_map* own = file_of(reinterpret_cast<void*>(&host_place));
  std::vector<std::string> frames;
  for (int i = 0; i < place.size; ++i) {
    const link_map* map = file_of(place.addresses[static_cast<std::size_t>(i)]);
    if (map == nullptr || map == own) continue;
    // The program's own name is what it was told, and may be no file.
    std::error_code ignored;
    const std::string file = map->l_name[0] != '\0'
                                 ? map->l_name
                                 : std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    const auto address = reinterpret_cast<std::uintptr_t>(place.addresses[static_cast<std::size_t>(i)]);
    frames.push_back(fmt::format("{}+{:#x}", file, address - map->l_addr - 1));
  }
  return frames;
}

}  // namespace sim::runtime
