// Rung 3: ask the GPU what it has, and compute from that how fast its memory can be.
#include "first_program.h"

double peak_bandwidth(int memory_clock_khz, int bus_bits) {
  double gbs = 0;
  // TODO(1): transfers a second, two for each clock; times bytes of a transfer, eight bits each; in units of
  //          10^9 bytes. The product does not fit into an int (3 lines).
  return gbs;
}

cudaError_t query_device(Device& device) {
  constexpr int kDevice = 0;  // the first GPU
  cudaError_t error = cudaErrorNotSupported;
  // TODO(2): let cudaGetDeviceProperties() fill in a cudaDeviceProp, and take from its members what they
  //          have: multiProcessorCount, maxThreadsPerMultiProcessor, maxThreadsPerBlock, totalGlobalMem,
  //          sharedMemPerBlock, l2CacheSize and memoryBusWidth (10 lines).
  // TODO(3): the clock of the memory is no member any more since CUDA 13: cudaDeviceGetAttribute() still
  //          tells it, as cudaDevAttrMemoryClockRate (2 lines). Then compute the last two members (2
  //          lines). What a call returns goes into `error`, and ends the function where it is one.
  return error;
}
