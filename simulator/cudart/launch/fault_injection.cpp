#include "simulator/cudart/launch/fault_injection.h"

#include <string>

#include "simulator/cudart/device/device.h"
#include "simulator/telemetry.h"

namespace sim::cudart {
namespace {

struct Failing {
  std::uint64_t left = 0;  ///< calls until one fails; 0: none does
  std::string which;       ///< has failed
};

Failing& failing() {
  static Failing& only = *new Failing;
  return only;
}

}  // namespace

void may_fail(const char* call, bool launches) {
  Failing& f = failing();
  if (f.left == 0 || --f.left != 0) return;
  f.which = call;
  throw ApiError{launches ? cudaErrorLaunchOutOfResources : cudaErrorMemoryAllocation};
}

bool has_failed_on_purpose() { return !failing().which.empty(); }

}  // namespace sim::cudart

void sim::fail_call(std::uint64_t number) {
  std::lock_guard hold(cudart::device().lock);
  cudart::failing() = {number, {}};
}

std::string sim::failed_call() {
  std::lock_guard hold(cudart::device().lock);
  return cudart::failing().which;
}
