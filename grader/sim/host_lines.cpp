#include "grader/sim/host_lines.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "simulator/ptx/program.h"
#include "simulator/report/wording/source_names.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// Where host code of an address stands.
struct SourceLocation {
  std::string function, file;
  int line = 0;
};

/// Locations of each address: what was inlined there, innermost first, and the function itself.
using SourceLocations = std::map<std::string, std::vector<SourceLocation>>;  ///< by "FILE+0xOFFSET"

SourceLocations look_up(const std::string& file, const std::vector<std::string>& offsets) {
  std::vector<std::string> argv = {"addr2line", "-e", file, "-a", "-f", "-i", "-C"};
  argv.insert(argv.end(), offsets.begin(), offsets.end());
  const Captured answer = capture(argv);
  SourceLocations locations;
  if (!answer.status.ok()) return locations;
  std::size_t asked = 0;  // addresses come back in the order asked, each in a line of its own
  std::string key;
  SourceLocation location;
  for (const std::string& line : split_lines(answer.output)) {
    if (line.rfind("0x", 0) == 0 && asked < offsets.size()) {
      key = file + "+" + offsets[asked++];
      location = {};
    } else if (location.function.empty()) {
      location.function = line;
    } else {
      const std::size_t colon = line.rfind(':');
      location.file = line.substr(0, colon);
      location.line = colon == line.npos ? 0 : std::atoi(line.c_str() + colon + 1);
      locations[key].push_back(location);
      location = {};
    }
  }
  return locations;
}

/// Neither the toolkit's or the system's, nor the file of launch stubs that nvcc writes for itself, which is
/// gone.
bool is_users(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && !sim::ptx::is_toolkit_file(file.string());
}

/// The innermost location in the user's source. A launch goes through two functions that nvcc wrote: a stub,
/// and one with the kernel's name that stands at the kernel's line; neither is where the launch stands.
const SourceLocation* users_location(const std::vector<std::string>& frames,
                                     const SourceLocations& locations) {
  bool below_stub = false;
  for (const std::string& frame : frames) {
    const auto at = locations.find(frame);
    if (at == locations.end()) continue;
    for (const SourceLocation& location : at->second) {
      const bool stub = location.function.find("device_stub") != std::string::npos;
      if (!stub && !below_stub && location.line > 0 && is_users(location.file)) return &location;
      below_stub = stub;
    }
  }
  return nullptr;
}

void set_line(sim::Finding& finding, std::string file, int line) {
  finding.file = std::move(file), finding.line = line;
}
void set_line(sim::OtherParty& other, std::string file, int line) {
  other.file = std::move(file), other.line = line;
}
using sim::set_line;

/// Calls f with all that a finding has a line of: itself, its other party, and the memory that it names.
template <class F>
void for_each_located(sim::Finding& finding, F f) {
  f(finding);
  if (finding.other) f(*finding.other);
  for (sim::Message::Operand& operand : finding.message.operands())
    if (auto* memory = std::get_if<sim::AllocationName>(&operand)) f(*memory);
}

}  // namespace

void name_host_lines(std::vector<sim::Finding>& findings) {
  std::map<std::string, std::set<std::string>> asked;
  for (sim::Finding& finding : findings)
    for_each_located(finding, [&](const auto& located) {
      if (located.line > 0) return;
      for (const std::string& frame : located.host_frames) {
        const std::size_t plus = frame.rfind('+');
        if (plus != frame.npos) asked[frame.substr(0, plus)].insert(frame.substr(plus + 1));
      }
    });
  SourceLocations locations;
  for (const auto& [file, offsets] : asked) locations.merge(look_up(file, {offsets.begin(), offsets.end()}));
  for (sim::Finding& finding : findings)
    for_each_located(finding, [&](auto& located) {
      const SourceLocation* const at =
          located.line > 0 ? nullptr : users_location(located.host_frames, locations);
      if (at != nullptr) set_line(located, fs::path(at->file).lexically_normal().string(), at->line);
      // A finding's own say that it is about host code: see finding_detail().
      if (&located.host_frames != &finding.host_frames) located.host_frames.clear();
    });
}

}  // namespace ladder::cli
