#include "grader/sim/host_lines.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "simulator/ptx/program.h"
#include "simulator/report/source_names.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

struct Place {
  std::string function, file;
  int line = 0;
};

/// Places of one address: what was inlined there, innermost first, and the function itself.
using Places = std::map<std::string, std::vector<Place>>;  ///< by "FILE+0xOFFSET"

Places look_up(const std::string& file, const std::vector<std::string>& offsets) {
  std::vector<std::string> argv = {"addr2line", "-e", file, "-a", "-f", "-i", "-C"};
  argv.insert(argv.end(), offsets.begin(), offsets.end());
  const Captured answer = capture(argv);
  Places places;
  if (!answer.status.ok()) return places;
  std::size_t asked = 0;  // addresses come back in the order asked, each in a line of its own
  std::string key;
  Place place;
  for (const std::string& line : split_lines(answer.output)) {
    if (line.rfind("0x", 0) == 0 && asked < offsets.size()) {
      key = file + "+" + offsets[asked++];
      place = {};
    } else if (place.function.empty()) {
      place.function = line;
    } else {
      const std::size_t colon = line.rfind(':');
      place.file = line.substr(0, colon);
      place.line = colon == line.npos ? 0 : std::atoi(line.c_str() + colon + 1);
      places[key].push_back(place);
      place = {};
    }
  }
  return places;
}

/// Neither the toolkit's or the system's, nor the file of launch stubs that nvcc writes for itself, which is
/// gone.
bool is_users(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && !sim::ptx::is_toolkit_file(file.string());
}

/// The innermost place in the user's source. A launch goes through two functions that nvcc wrote: a stub, and
/// one with the kernel's name that stands at the kernel's line; neither is the place of the launch.
const Place* users_place(const std::vector<std::string>& frames, const Places& places) {
  bool below_stub = false;
  for (const std::string& frame : frames) {
    const auto at = places.find(frame);
    if (at == places.end()) continue;
    for (const Place& place : at->second) {
      const bool stub = place.function.find("device_stub") != std::string::npos;
      if (!stub && !below_stub && place.line > 0 && is_users(place.file)) return &place;
      below_stub = stub;
    }
  }
  return nullptr;
}

void set_place(std::string& file, int& line, const std::vector<std::string>& frames, const Places& places) {
  if (line > 0) return;
  const Place* const place = users_place(frames, places);
  if (place == nullptr) return;
  file = fs::path(place->file).lexically_normal().string();
  line = place->line;
}

/// Calls f with the file, the line and the frames of each place that a finding has.
template <class F>
void for_each_place(sim::Finding& finding, F f) {
  f(finding.file, finding.line, finding.host_frames);
  if (finding.other) f(finding.other->file, finding.other->line, finding.other->host_frames);
  for (sim::Message::Operand& operand : finding.message.operands())
    if (auto* memory = std::get_if<sim::AllocationName>(&operand))
      f(memory->file, memory->line, memory->host_frames);
}

}  // namespace

void name_host_lines(std::vector<sim::Finding>& findings) {
  std::map<std::string, std::set<std::string>> asked;
  for (sim::Finding& finding : findings)
    for_each_place(finding, [&](const std::string&, int line, const std::vector<std::string>& frames) {
      if (line > 0) return;
      for (const std::string& frame : frames) {
        const std::size_t plus = frame.rfind('+');
        if (plus != frame.npos) asked[frame.substr(0, plus)].insert(frame.substr(plus + 1));
      }
    });
  Places places;
  for (const auto& [file, offsets] : asked) places.merge(look_up(file, {offsets.begin(), offsets.end()}));
  for (sim::Finding& finding : findings)
    for_each_place(finding, [&](std::string& file, int& line, std::vector<std::string>& frames) {
      set_place(file, line, frames, places);
      // A finding's own say that it is about host code: see finding_detail().
      if (&frames != &finding.host_frames) frames.clear();
    });
  for (sim::Finding& finding : findings)
    for (sim::Message::Operand& operand : finding.message.operands())
      if (auto* memory = std::get_if<sim::AllocationName>(&operand))
        memory->variable = sim::variable_of(*memory);
}

}  // namespace ladder::cli
