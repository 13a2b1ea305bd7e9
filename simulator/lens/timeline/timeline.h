// A block's timeline as rows: for each stage the copies into it, for each role of warps what it does and when
// the tensor cores work for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/lens/text.h"
#include "simulator/report/timeline.h"

namespace sim::lens {

/// Warps of a block that do the same. Those of a role are drawn as its first one.
struct Role {
  std::vector<std::uint32_t> warps;
  bool copies = false, stores = false, products = false, multiplies = false, waits = false;
  double end_ns = 0;                             ///< of its first warp
  std::map<TimelineSpan::Kind, double> share{};  ///< of the first warp's time
  double waits_for_copies = 0,
         waits_for_room = 0;  ///< shares: for what has been copied, and for a free stage
};

/// One row: its spans do not overlap where they are of one warp, and may where they are copies.
struct TimelineRow {
  enum class Kind : std::uint8_t {
    stage,         ///< copies on their way
    activity,      ///< of a warp: what lies between its waits is work
    tensor_cores,  ///< at work for a warp
    stores         ///< bulk copies out of shared memory
  } kind{};
  std::string label;
  std::vector<TimelineSpan> spans;
  double end_ns = 0;  ///< of an activity: where the warp leaves
};

struct TimelineView {
  double end_ns = 0;    ///< of the block
  double shown_ns = 0;  ///< some turns of the ring, from the block's start
  std::vector<TimelineRow> rows;
};

/// Whether there is more to see than a block's barriers and loads: something runs beside the warps.
bool is_asynchronous(const Timeline& timeline);

std::vector<Role> roles_of(const Timeline& timeline);
TimelineView view_of(const Timeline& timeline);

/// "warps 0-3, multiply".
std::string role_in_words(const Role& role);

/// What the picture shows, in sentences: how long copies take, who waits for what, and whether more stages
/// would help.
std::vector<std::string> timeline_in_words(const Timeline& timeline);

/// Where from and until when: "block (66,0,0), the first 1.9 µs of 12 µs".
std::string extent_in_words(const Timeline& timeline, const TimelineView& view);

/// One character for what a warp waits for; '\0' for what is no wait.
char wait_letter(TimelineSpan::Kind kind);

/// The timeline in a terminal, at most 80 columns wide.
std::vector<std::string> timeline_text(const Timeline& timeline, const TextStyle& style);

/// The timeline as an SVG element, in the colours of the page that it stands in.
std::string timeline_svg(const Timeline& timeline);

}  // namespace sim::lens
