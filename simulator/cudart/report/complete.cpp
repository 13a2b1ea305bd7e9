#include "simulator/cudart/report/complete.h"

#include <fmt/format.h>

#include "simulator/cudart/report/leaks.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/stream/guards.h"
#include "simulator/report/cure.h"

namespace sim::cudart {
namespace {

/// Where nobody will look lines up, the mark that stands for one goes, and what it would be looked up by.
void without_lines(Finding& f) {
  const std::string mark = fmt::format(" ({})", kOtherLocation);
  if (const std::size_t at = f.message.find(mark); at != f.message.npos) f.message.erase(at, mark.size());
  f.host_frames.clear();
  if (f.other) f.other->host_frames.clear();
}

}  // namespace

void complete(std::vector<Finding>& findings) {
  for (Finding& f : findings) {
    if (!writes_report()) without_lines(f);
    if (f.cure.empty()) f.cure = usual_cure(f);
    if (!f.message.empty() && f.message.find_last_of(".?!") != f.message.size() - 1) f.message += '.';
  }
  if (!writes_report()) say_where_asked_for(findings);  // else whoever reads it looks lines up
}

}  // namespace sim::cudart
