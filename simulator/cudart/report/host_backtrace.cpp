#include "simulator/cudart/report/host_backtrace.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>

#include "simulator/fatbin/elf.h"

namespace sim::cudart {
namespace {

/// The loaded file that an address lies in; null where it lies in none.
const link_map* file_of(void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return nullptr;
  return map;
}

/// Whether a file is one of the system's libraries, which are nobody's source.
bool is_systems(const std::string& file) {
  return file.starts_with("/lib/") || file.starts_with("/lib64/") || file.starts_with("/usr/lib");
}

/// When the program is another process, what it has loaded, and where the thread's calls stand in that.
std::atomic<const std::string*> remote_module = nullptr;
thread_local std::uint64_t remote_address = 0;

/// The line numbers of a file, read once.
const LineTable& lines_of(const std::string& file) {
  static std::mutex lock;
  static auto& known = *new std::map<std::string, LineTable>;
  std::lock_guard hold(lock);
  const auto at = known.find(file);
  if (at != known.end()) return at->second;
  std::vector<std::byte> bytes;
  try {
    bytes = fatbin::file_bytes(file);
  } catch (const std::runtime_error&) {  // then it has none
  }
  return known.emplace(file, LineTable(bytes)).first->second;
}

}  // namespace

void set_remote_caller(const std::string& module, std::uint64_t address) {
  remote_module = &module;
  remote_address = address;
}

HostBacktrace host_backtrace() {
  HostBacktrace place;
  if (remote_module != nullptr) {
    place.remote = remote_address;
    return place;
  }
  place.size = ::backtrace(place.addresses.data(), static_cast<int>(place.addresses.size()));
  return place;
}

std::vector<std::string> frames_of(const HostBacktrace& place) {
  const link_map* own = file_of(reinterpret_cast<void*>(&host_backtrace));
  std::vector<std::string> frames;
  if (place.remote != 0) frames.push_back(fmt::format("{}+{:#x}", *remote_module.load(), place.remote));
  for (int i = 0; i < place.size; ++i) {
    const link_map* map = file_of(place.addresses[static_cast<std::size_t>(i)]);
    if (map == nullptr || map == own) continue;
    // The program's own name is what it was told, and may be no file.
    std::error_code ignored;
    const std::string file = map->l_name[0] != '\0'
                                 ? map->l_name
                                 : std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    if (is_systems(file)) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(place.addresses[static_cast<std::size_t>(i)]);
    frames.push_back(fmt::format("{}+{:#x}", file, address - map->l_addr - 1));
  }
  return frames;
}

std::optional<SourceLine> line_of(const HostBacktrace& place) {
  for (const std::string& frame : frames_of(place)) {
    const std::size_t plus = frame.rfind('+');
    const std::uint64_t address = std::strtoull(frame.c_str() + plus + 1, nullptr, 16);
    if (auto line = lines_of(frame.substr(0, plus)).at(address)) return line;
  }
  return std::nullopt;
}

}  // namespace sim::cudart
