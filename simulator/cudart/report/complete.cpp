#include "simulator/cudart/report/complete.h"

#include "simulator/cudart/report/leaks.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/report/wording/cure.h"

namespace sim::cudart {
namespace {

/// Where nobody will look lines up, what they would be looked up by goes.
void without_frames(Finding& f) {
  f.host_frames.clear();
  if (f.other) f.other->host_frames.clear();
}

}  // namespace

void complete(std::vector<Finding>& findings) {
  for (Finding& f : findings) {
    if (!writes_report()) without_frames(f);
    if (f.cure.kind == Cure::none) f.cure = usual_cure(f);
  }
  say_where_asked_for(findings);
}

}  // namespace sim::cudart
