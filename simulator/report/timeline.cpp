#include "simulator/report/timeline.h"

namespace sim {

const char* to_string(TimelineSpan::Kind kind) {
  using Kind = TimelineSpan::Kind;
  switch (kind) {
    case Kind::copy:
      return "copy";
    case Kind::store:
      return "bulk store";
    case Kind::product:
      return "wgmma";
    case Kind::multiply:
      return "mma";
    case Kind::wait_stage:
      return "wait for an mbarrier";
    case Kind::wait_block:
      return "wait at a barrier";
    case Kind::wait_copies:
      return "wait for copies";
    case Kind::wait_stores:
      return "wait for stores";
    case Kind::wait_products:
      return "wait for wgmma";
    case Kind::load:
      return "wait for loads";
  }
  return "?";
}

}  // namespace sim
