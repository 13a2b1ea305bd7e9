// The lens in a terminal: source lines with their share of the time, and a picture of every access.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/lens/picture.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace sim::lens {

struct TextStyle {
  bool colour = false;
  bool unicode = true;
};

/// Lines of source files, by the name that the records have; empty where a file cannot be read.
using Sources = std::map<std::string, std::vector<std::string>>;
Sources read_sources(const std::vector<KernelRecord>& kernels);
/// The sources of findings' lines, and of their other parties'.
Sources read_sources(const std::vector<Finding>& findings);

/// The source of a line, without what it is indented by; empty where it is not known.
std::string source_line(const Sources& sources, const LineRecord& at);

/// The files that a launch's lines are in; the one with most of them first.
std::vector<std::string> files_of(const KernelRecord& kernel);

/// What the characters of the pictures mean, in a line or two.
std::vector<std::string> legend(const TextStyle& style);

/// "128 of 1024 bytes moved are of use: 12 %", "32 passes where 1 would do"; empty where nothing is wasted.
std::string waste_in_words(const Picture& picture);

/// What is shown of a launch.
enum class Part : std::uint8_t { all, timeline };

/// Pictures of one launch, at most 80 columns wide. All of them have the timeline where something runs beside
/// the warps.
std::vector<std::string> text_of(const KernelRecord& kernel, const Sources& sources, const TextStyle& style,
                                 Part part = Part::all);

/// A file's name without its folders.
std::string short_name(const std::string& file);

/// "1.23 ms": a modelled time.
std::string time_in_words(double ns);

/// Characters of UTF-8; comments of a source may hold more than ASCII.
std::size_t columns_of(std::string_view text);

/// One character for a lane: 0-9, a-v.
char lane_letter(int lane);

/// Steps of a trace whose lanes are the same and whose lines are in one file, one after the other.
struct Stretch {
  std::string file;
  int first_line = 0, last_line = 0;  ///< the least and the greatest
  std::uint32_t mask = 0;
  std::uint64_t instructions = 0;
};
std::vector<Stretch> stretches(const std::vector<TraceStep>& trace);

/// The lines of a stretch: "12", "12-17", and with another file "scan.h:12-17".
std::string lines_in_words(const Stretch& stretch, const std::string& main_file);

/// "8.3 of 32 lanes at work on average"; empty where nearly all are.
std::string lanes_in_words(const LineRecord& line);

/// "global load, 4 bytes a lane: 32 sectors a request, 4 would do".
std::string access_in_words(const AccessRecord& access);

}  // namespace sim::lens
