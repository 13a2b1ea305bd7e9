#include "simulator/report/cure.h"

namespace sim {
namespace {

const char* cure_by_space(MemorySpace space) {
  if (space == MemorySpace::shared)
    return "an index below the number of elements, or more of them: sizes of dynamic shared memory are in "
           "bytes, and it is the launch that gives them";
  if (space == MemorySpace::local || space == MemorySpace::constant)
    return "an index below the number of elements, or a larger array";
  return "check the index against the number of elements before the access";
}

}  // namespace

const char* usual_cure(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::out_of_bounds:
      return cure_by_space(finding.space);
    case FindingKind::use_after_free:
      return "cudaFree() after the last kernel or copy that uses the memory";
    case FindingKind::misaligned:
      return "an address that is a multiple of the bytes accessed: wide types from aligned starts and in "
             "rows "
             "of whole multiples, or element by element";
    case FindingKind::hang:
      return "a condition that is sure to change: by the loop itself, or by a thread that can get on";
    case FindingKind::barrier:
      return "one barrier that all threads of the block reach, outside branches and loops";
    case FindingKind::mask:
      return "a mask of exactly the lanes that come to the call, made before they part";
    case FindingKind::launch:
      return "a configuration within the device's limits";
    case FindingKind::memcpy:
      return "sizes in bytes and within both buffers, destination first, and the kind that says which way";
    case FindingKind::free:
      return "free once, with the function that goes with the allocation, the pointer that it returned";
    case FindingKind::race:
    case FindingKind::uninitialized:
    case FindingKind::assert:
    case FindingKind::trap:
    case FindingKind::leak:
    case FindingKind::texture:
    case FindingKind::stored_again:
    case FindingKind::waits:
    case FindingKind::unsupported:
      return "";
  }
  return "";
}

}  // namespace sim
