// Where in the program's host code a call of the runtime stands.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace sim::runtime {

/// Return addresses of the calls that led here, innermost first.
struct HostPlace {
  std::array<void*, 24> addresses;
  int size = 0;
};

/// The present place; takes a microsecond or two.
HostPlace host_place();

/// The addresses outside this library, as "FILE+0xOFFSET": what addr2line needs to know. The offset lies
/// within the call, not behind it.
std::vector<std::string> frames_of(const HostPlace& place);

}  // namespace sim::runtime
