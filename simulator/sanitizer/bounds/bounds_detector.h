// Accesses that stay inside memory and leave the variable or buffer that they were meant for.
//
// What an address was made from is known before the kernel runs (provenance.h); where it is not, variables of
// the check build lie apart, and what hits the room between them left its variable, as with the red zones of
// AddressSanitizer (K. Serebryany and others, "AddressSanitizer: A Fast Address Sanity Checker", USENIX ATC
// 2012). Accesses outside all memory are the engine's to find.
#pragma once

#include "simulator/sanitizer/bounds/bounds_findings.h"
#include "simulator/sanitizer/launch_context.h"

namespace sim::sanitizer {

/// Holds accesses against the extent of what they mean. Keeps no state of its own.
class BoundsDetector {
 public:
  explicit BoundsDetector(LaunchContext& context) : context_(context) {}

  /// Whether the lanes stay inside the variable in shared memory that they mean.
  void check_shared(const Warp& w, const ObservedAccess& seen, u32 at);
  /// The same in local memory. @return the lanes that do not
  Mask check_local(const Warp& w, const ObservedAccess& seen, u32 at);
  /// Whether they stay inside the buffer of the kernel's parameter that their addresses are made from.
  void check_global(const Warp& w, const ObservedAccess& seen, u32 at) {
    if (context_.analysis.provenance(at).kind == PointerProvenance::Kind::parameter)
      check_parameter(w, seen, at);
  }
  /// Names the variable in shared memory that an access outside of all of it was meant for, where it is
  /// known.
  void name_variable(exec::Fault& fault) const;
  /// Tells the whole of a misaligned access of which the check build makes several.
  void tell_whole(exec::Fault& fault) const;

 private:
  void check_parameter(const Warp& w, const ObservedAccess& seen, u32 at);
  /// Counts a lane's access outside its variable. @return the finding to render; null when it is known
  Finding* found(const Warp& w, const ObservedAccess& seen, u32 at, int lane);

  LaunchContext& context_;
};

}  // namespace sim::sanitizer
