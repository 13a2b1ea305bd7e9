// Where in the program's host code a call of the runtime stands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/cudart/report/line_table.h"

namespace sim::cudart {

/// Return addresses of the calls that led here, innermost first.
struct HostBacktrace {
  std::array<void*, 24> addresses;
  int size = 0;
  /// Of a program in another process: the address in its module's file; 0: unknown.
  std::uint64_t remote = 0;
};

/// The present place; takes a microsecond or two.
HostBacktrace host_backtrace();

/// The thread's next calls are those of a program in another process.
/// @param module   the file that it has loaded; stays where it is
/// @param address  in that file, of the call; 0: not in it, or not known. The program says so.
void set_remote_caller(const std::string& module, std::uint64_t address);

/// The addresses outside this library, as "FILE+0xOFFSET": what addr2line needs to know. The offset lies
/// within the call, not behind it.
std::vector<std::string> frames_of(const HostBacktrace& place);

/// The line in the user's source of the innermost of these calls; none where its file has no line numbers.
std::optional<SourceLine> line_of(const HostBacktrace& place);

}  // namespace sim::cudart
