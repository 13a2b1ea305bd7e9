// Access of devices to each other's memory.
#pragma once

#include <cuda_runtime_api.h>

#ifdef __CUDACC__
#include "common/cuda_check.h"

/// Lets kernels on the current device access the memory of another one. That it may already is no error:
/// access lasts until the process ends, and nobody takes it back.
inline void access_peer(int peer) {
  const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled)
    (void)cudaGetLastError();  // else the next check would find it
  else
    CUDA_CHECK(error);
}
#endif
