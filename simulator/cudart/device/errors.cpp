// What cudaGetLastError tells.
#include <utility>

#include "simulator/cudart/device/device.h"

using namespace sim::cudart;

extern "C" {

/// Any error is forgotten once it was told; calls that need a device that has failed give it anew.
cudaError_t cudaGetLastError() {
  Device& d = device();
  std::lock_guard hold(d.lock);
  const CountedCall counted(d, "cudaGetLastError");
  return std::exchange(last_error(), cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  Device& d = device();
  std::lock_guard hold(d.lock);
  const CountedCall counted(d, "cudaPeekAtLastError");
  return last_error();
}

}  // extern "C"
