// Litmus tests: a few threads, a few words, and the question what the threads may have seen.
//
//   ./ladder litmus FILE.cu                every outcome that the memory model allows, of the first test
//   ./ladder litmus FILE.cu -- NAME        of another one
//   ./ladder sim FILE.cu -- NAME           one run, and what the sanitizer says of it
//   nvcc -arch=native -I.. FILE.cu -o test && ./test stress
//                                          on a GPU: ten million times each, and how often it ended how
//
// A test is a structure with a name, its number of threads, whether they are of different blocks, thread(),
// which each of them runs, and right(), which says whether it may end so. Words and what has been seen are 0
// at first.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "../atomics.h"

/// What the threads of a test share, and what they have seen, at most four of each.
struct Words {
  unsigned *x, *y;
  unsigned* seen;
};

/// Where the many instances of a stress run lie.
struct Placement {
  unsigned *words, *seen, *begun, *busy;
  unsigned instances;  ///< a multiple of kBlock
  unsigned spread;     ///< words from an instance's x to that of the next one
  unsigned apart;      ///< words from x to y
  unsigned turn;       ///< another one for each launch
  unsigned shaping;    ///< blocks that run tests; the others keep memory busy
};

constexpr unsigned kBlock = 256, kMostShaping = 264;  // two blocks for each multiprocessor of an H100
constexpr unsigned kMostWords = 1u << 23, kMostInstances = kMostShaping * kBlock, kBusyWords = 1u << 20;

/// One instance, for `ladder litmus`. Threads of one block are of different warps.
template <class Test>
__global__ void once(unsigned* words, unsigned* seen) {
  const unsigned thread = Test::kApart ? blockIdx.x : threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) Test::thread(thread, {words, words + 1, seen});
}

__device__ inline unsigned mixed(unsigned n) {
  n = (n ^ n >> 16) * 0x7feb352du;
  return n ^ n >> 15;
}

__device__ inline void keep_busy(const Placement& p) {
  unsigned at = mixed(blockIdx.x * kBlock + threadIdx.x + p.turn);
  for (int i = 0; i < 128; ++i) {
    at = mixed(at + i) * 2654435761u;
    volatile unsigned* const word = p.busy + at % kBusyWords;
    *word = *word + at;
  }
}

/// Thousands of instances: their threads are of blocks that begin together, or of one block's warps.
template <class Test>
__global__ void __launch_bounds__(kBlock) many(Placement p) {
  if (blockIdx.x >= p.shaping) return keep_busy(p);
  constexpr unsigned kThreads = Test::kThreads;
  const unsigned group = Test::kApart ? blockIdx.x / kThreads : blockIdx.x;
  const unsigned each = Test::kApart ? kBlock : kBlock / kThreads;  // threads of a block that have one part
  const unsigned part = Test::kApart ? (blockIdx.x + p.turn) % kThreads : threadIdx.x / each;
  // Threads that share an instance lie differently in their warps.
  const unsigned own = (threadIdx.x % each * (2 * (p.turn + part) + 1) + part * p.turn) % each;
  const unsigned instance = group * each + own;
  if (threadIdx.x == 0) {
    atomicAdd(p.begun, 1u);
    for (int i = 0; i < 100000 && *static_cast<volatile unsigned*>(p.begun) < p.shaping; ++i) continue;
  }
  __syncthreads();
  const long long until =
      clock64() + mixed(threadIdx.x / 32 + blockIdx.x * 37 + p.turn) % (p.turn % 3 * 256 + 1);
  while (clock64() < until) continue;
  unsigned* const x = p.words + static_cast<std::size_t>(instance) * p.spread;
  Test::thread(part, {x, x + p.apart, p.seen + 4 * static_cast<std::size_t>(instance)});
}

template <class Test>
int run_once() {
  unsigned *words, *seen, host[4];
  cudaMalloc(&words, 2 * sizeof(unsigned));
  cudaMalloc(&seen, sizeof host);
  cudaMemset(words, 0, 2 * sizeof(unsigned));
  cudaMemset(seen, 0, sizeof host);
  once<Test><<<Test::kApart ? Test::kThreads : 1, Test::kApart ? 32 : 32 * Test::kThreads>>>(words, seen);
  if (cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("%s: %u %u %u %u\n", Test::kName, host[0], host[1], host[2], host[3]);
  return Test::right(host) ? 0 : 1;
}

template <class Test>
void stress(long long wanted) {
  static Placement p{};
  if (p.words == nullptr) {
    cudaMalloc(&p.words, kMostWords * sizeof(unsigned));
    cudaMalloc(&p.seen, 4 * kMostInstances * sizeof(unsigned));
    cudaMalloc(&p.begun, sizeof(unsigned));
    cudaMalloc(&p.busy, kBusyWords * sizeof(unsigned));
    cudaMemset(p.busy, 0, kBusyWords * sizeof(unsigned));
  }
  static unsigned* const host = static_cast<unsigned*>(std::malloc(4 * kMostInstances * sizeof(unsigned)));
  std::mt19937 random(34);
  long long outcomes[256] = {};  // by what has been seen, two bits each
  constexpr unsigned kDistances[] = {1, 2, 8, 31, 32, 33, 64, 1024};
  long long runs = 0;
  while (runs < wanted) {
    constexpr unsigned kGroup = Test::kApart ? Test::kThreads : 1;
    p.shaping = (1 + random() % (kMostShaping / kGroup)) * kGroup;
    p.instances = p.shaping * kBlock / Test::kThreads;
    p.apart = kDistances[random() % 8];
    // x and y of an instance beside each other, or each in an area of its own.
    p.spread = p.apart < 32 ? 2 * p.apart + random() % 8 : 1 + random() % 4;
    if (p.apart >= 32) p.apart += p.instances * p.spread;
    p.turn = random();
    const std::size_t used = static_cast<std::size_t>(p.instances) * p.spread + p.apart + 1;
    if (used > kMostWords) continue;
    cudaMemset(p.words, 0, used * sizeof(unsigned));
    cudaMemset(p.seen, 0, 4 * static_cast<std::size_t>(p.instances) * sizeof(unsigned));
    cudaMemset(p.begun, 0, sizeof(unsigned));
    many<Test><<<p.shaping + 128 * (random() % 3), kBlock>>>(p);
    if (cudaMemcpy(host, p.seen, 4 * p.instances * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess) {
      std::printf("%s: %s\n", Test::kName, cudaGetErrorString(cudaGetLastError()));
      std::exit(1);
    }
    for (unsigned i = 0; i < p.instances; ++i) {
      const unsigned* const seen = host + 4 * static_cast<std::size_t>(i);
      ++outcomes[(seen[0] & 3) | (seen[1] & 3) << 2 | (seen[2] & 3) << 4 | (seen[3] & 3) << 6];
    }
    runs += p.instances;
  }
  std::printf("%s (%lld)\n", Test::kName, runs);
  for (unsigned code = 0; code < 256; ++code) {
    if (outcomes[code] == 0) continue;
    const unsigned seen[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
    std::printf("%12lld  ", outcomes[code]);
    for (int k = 0; k < Test::kSeen; ++k) std::printf(" %u", seen[k]);
    std::puts(Test::right(seen) ? "" : "   wrong");
  }
}

/// Runs it, if it is the test of that name. @return whether it is
template <class Test>
bool run_if_named(const char* name, int* status) {
  if (name != nullptr && std::strcmp(name, Test::kName) != 0) return false;
  *status = run_once<Test>();
  return true;
}

/// Runs the test that is named first, or the first of all; or all of them on a GPU, again and again.
template <class... Tests>
int run(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : nullptr;
  if (name != nullptr && std::strcmp(name, "stress") == 0) {
    (stress<Tests>(argc > 2 ? std::atoll(argv[2]) : 10'000'000), ...);
    return 0;
  }
  int status = 2;
  const bool found = (run_if_named<Tests>(name, &status) || ...);
  if (!found) (std::puts(Tests::kName), ...);
  return status;
}
