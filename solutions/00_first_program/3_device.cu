// Rung 3: ask the GPU what it has, and compute from that how fast its memory can be.
#include "first_program.h"

double peak_bandwidth(int memory_clock_khz, int bus_bits) {
  double gbs = 0;
  // TODO(1): transfers a second, two for each clock; times bytes of a transfer, eight bits each; in units of
  //          10^9 bytes. The product does not fit into an int (3 lines).
  // BEGIN SOLUTION
  const double transfers = 2.0 * memory_clock_khz * 1e3;
  const double bytes = bus_bits / 8.0;
  gbs = transfers * bytes / 1e9;
  // END SOLUTION
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
  // BEGIN SOLUTION
  cudaDeviceProp properties;
  error = cudaGetDeviceProperties(&properties, kDevice);
  if (error != cudaSuccess) return error;
  device.multiprocessors = properties.multiProcessorCount;
  device.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  device.threads_per_block = properties.maxThreadsPerBlock;
  device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlock);
  device.l2_bytes = properties.l2CacheSize;
  device.bus_bits = properties.memoryBusWidth;

  error = cudaDeviceGetAttribute(&device.memory_clock_khz, cudaDevAttrMemoryClockRate, kDevice);
  if (error != cudaSuccess) return error;
  device.threads = static_cast<std::int64_t>(device.multiprocessors) * device.threads_per_multiprocessor;
  device.peak_gbs = peak_bandwidth(device.memory_clock_khz, device.bus_bits);
  // END SOLUTION
  return error;
}
