#include "simulator/cudart/report/set_place.h"

#include <utility>

#include "simulator/cudart/report/report_file.h"

namespace sim::cudart {
namespace {

template <class Party>
void set(Party& party, const HostBacktrace& place, bool in_stub) {
  if (writes_report()) {
    party.host_frames = frames_of(place);
  } else if (!in_stub) {
    if (auto line = line_of(place)) party.file = std::move(line->file), party.line = line->line;
  }
}

}  // namespace

void set_place(Finding& finding, const HostBacktrace& place, bool in_stub) { set(finding, place, in_stub); }
void set_place(OtherParty& party, const HostBacktrace& place, bool in_stub) { set(party, place, in_stub); }

}  // namespace sim::cudart
