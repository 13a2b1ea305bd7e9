// Blank page: a job that is worked on in place, on a device that has no room for it.
#include <algorithm>

#include "blank_page.h"
#include "spring.h"

// TODO(1): job_allocate(), job_run() and job_free(), whose contract is in blank_page.h. The job goes
//          through the room piece by piece; which pieces may be under way together, and what keeps them
//          apart?
// BEGIN SOLUTION
constexpr int kSlots = 3;  // parts of the room, a stream for each

cudaError_t job_allocate(Job& job) {
  CUDA_CHECK(cudaMallocHost(&job.x, job.n * sizeof(float)));
  for (cudaStream_t& stream : job.streams)
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return cudaSuccess;
}

cudaError_t job_run(Job& job) {
  const std::int64_t piece = job.room_floats / kSlots;
  for (std::int64_t first = 0; first < job.n; first += piece) {
    const int slot = static_cast<int>(first / piece % kSlots);
    const cudaStream_t stream = job.streams[slot];  // in which the slot's earlier pieces have left it
    const std::int64_t count = std::min(piece, job.n - first);
    const std::size_t bytes = count * sizeof(float);
    float *x = job.x + first, *d_x = job.room + slot * piece;
    CUDA_CHECK(cudaMemcpyAsync(d_x, x, bytes, cudaMemcpyHostToDevice, stream));
    launch_springs(d_x, d_x, count, stream);
    CUDA_CHECK(cudaMemcpyAsync(x, d_x, bytes, cudaMemcpyDeviceToHost, stream));
  }
  for (cudaStream_t stream : job.streams) CUDA_CHECK(cudaStreamSynchronize(stream));
  return cudaSuccess;
}

cudaError_t job_free(Job& job) {
  for (cudaStream_t& stream : job.streams) {
    if (stream != nullptr) CUDA_CHECK(cudaStreamDestroy(stream));
    stream = nullptr;
  }
  CUDA_CHECK(cudaFreeHost(job.x));
  job.x = nullptr;
  return cudaSuccess;
}
// END SOLUTION
