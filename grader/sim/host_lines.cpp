#include "grader/sim/host_lines.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "simulator/memory/name.h"
#include "simulator/ptx/program.h"

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

/// The other party's line, also in the message, which has a mark where it belongs.
void name_other(sim::Finding& finding, const Place* place) {
  static constexpr std::string_view kMark = "{other}";
  if (place != nullptr && finding.other->line == 0) {
    finding.other->line = place->line;
    finding.other->file = fs::path(place->file).lexically_normal().string();
  }
  if (const std::size_t at = finding.message.find(kMark); at != std::string::npos)
    finding.message.replace(
        at, kMark.size(),
        place != nullptr ? sim::place_beside(finding, place->file, place->line) : "elsewhere");
  finding.other->host_frames.clear();
}

/// What an allocating call puts the memory's address into: "d_a" of `cudaMalloc((void**)&d_a, bytes)`; empty
/// where its line does not say.
std::string variable_at(const AskedFor& memory) {
  std::error_code ignored;
  if (!fs::is_regular_file(memory.file, ignored)) return {};
  const std::vector<std::string> lines = split_lines(read_file(memory.file));
  if (static_cast<std::size_t>(memory.line) > lines.size()) return {};
  const std::string& line = lines[static_cast<std::size_t>(memory.line) - 1];
  const std::string call = memory.origin.substr(0, memory.origin.find(' ')) + "(";
  const std::size_t at = line.find(call);
  // Two calls in a line: which of them it was is not known.
  if (at == line.npos || line.find(call, at + 1) != line.npos) return {};
  const std::size_t begin = line.find('&', at);
  if (begin == line.npos || line.find(',', at) < begin) return {};
  const auto is_name = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.[]").find(c) != std::string_view::npos;
  };
  std::size_t end = begin + 1;
  while (end < line.size() && is_name(line[end])) ++end;
  return line.substr(begin + 1, end - begin - 1);
}

/// Says in a finding's message where the memory that it names was asked for, and for which variable.
void say_where(sim::Finding& finding, const AskedFor& memory) {
  if (memory.line == 0) return;
  const std::string where = " of " + sim::place_beside(finding, memory.file, memory.line);
  const std::string variable = variable_at(memory);
  const std::string name = variable.empty() ? "" : variable + ", ";
  std::string& text = finding.message;
  for (std::size_t at = 0; (at = sim::memory::named_at(text, memory.origin, at)) != text.npos;
       at += where.size() + name.size()) {
    text.insert(at, where);
    text.insert(at - memory.origin.size(), name);
  }
}

}  // namespace

void name_host_lines(std::vector<sim::Finding>& findings, std::vector<AskedFor>& memory) {
  std::map<std::string, std::vector<std::string>> asked;
  const auto ask = [&](const std::vector<std::string>& frames) {
    for (const std::string& frame : frames) {
      const std::size_t plus = frame.rfind('+');
      if (plus != frame.npos) asked[frame.substr(0, plus)].push_back(frame.substr(plus + 1));
    }
  };
  for (const sim::Finding& finding : findings) {
    if (finding.line == 0) ask(finding.host_frames);
    if (finding.other && finding.other->line == 0) ask(finding.other->host_frames);
  }
  for (const AskedFor& a : memory) ask(a.host_frames);
  Places places;
  for (const auto& [file, offsets] : asked) places.merge(look_up(file, offsets));
  for (sim::Finding& finding : findings) {
    const Place* const place = finding.line > 0 ? nullptr : users_place(finding.host_frames, places);
    if (place != nullptr) {
      finding.file = fs::path(place->file).lexically_normal().string();
      finding.line = place->line;
    }
    if (finding.other) name_other(finding, users_place(finding.other->host_frames, places));
  }
  for (AskedFor& a : memory) {
    const Place* const place = users_place(a.host_frames, places);
    if (place == nullptr) continue;
    a.file = fs::path(place->file).lexically_normal().string();
    a.line = place->line;
    for (sim::Finding& finding : findings) say_where(finding, a);
  }
}

std::string with_variables(std::string message, const std::string& source) {
  static constexpr std::string_view kLine = " of line ";
  for (std::size_t at = message.find(kLine); at != message.npos; at = message.find(kLine, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(message[begin - 1])) != 0) --begin;
    if (begin == at || begin < 2 || message.compare(begin - 2, 2, " #") != 0) continue;
    begin -= 2;
    while (begin > 0 && std::isalnum(static_cast<unsigned char>(message[begin - 1])) != 0) --begin;
    AskedFor memory;
    memory.origin = message.substr(begin, at - begin);
    memory.file = source;
    memory.line = std::atoi(message.c_str() + at + kLine.size());
    const std::string variable = memory.line > 0 ? variable_at(memory) : "";
    if (variable.empty() || (begin >= 2 && message.compare(begin - 2, 2, ", ") == 0)) continue;
    message.insert(begin, variable + ", ");
    at += variable.size() + 2;
  }
  return message;
}

}  // namespace ladder::cli
