// The contract of the blank page: a job that is worked on in place, on a device that has no room for it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Springs to be followed where they are.
struct Job {
  std::int64_t n = 0;  ///< springs, >= 0
  float* x = nullptr;  ///< [n] pinned host memory: how far each is stretched before job_run(), and afterwards

  float* room = nullptr;         ///< device, [room_floats], given; what is there need not be kept
  std::int64_t room_floats = 0;  ///< about a quarter of n, and some more: n / 4 + 48
  cudaStream_t streams[3] = {};  ///< for job_allocate() to create
};

/// Allocates Job::x and creates what job_run() needs. `n`, `room` and `room_floats` are set. Not timed.
///
/// @param[in,out] job  afterwards its x can be used by the host; null is allowed where n is 0
/// @return cudaSuccess
/// @throws ladder::CudaError when something cannot be had
cudaError_t job_allocate(Job& job);

/// Follows every spring for kSteps steps by launch_springs() (see spring.h; out and in may be the same), in
/// place: x[i] becomes where spring i is then. Timed from the call to its return.
///
/// @param job  as job_allocate(), or an earlier run, left it, with x filled in by the host
/// @return cudaSuccess, or the launch error; when it returns the host may read x
/// @throws ladder::CudaError when a copy or a synchronisation fails
/// @note Uses no other device memory than @ref Job::room. Moves n * sizeof(float) bytes each way.
cudaError_t job_run(Job& job);

/// Frees and destroys what job_allocate() made, and nothing else. Not timed.
///
/// @param[in,out] job  x and the streams are null afterwards
/// @return cudaSuccess
/// @throws ladder::CudaError when something cannot be freed
cudaError_t job_free(Job& job);
