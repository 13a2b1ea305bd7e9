// Shapes many times over on a GPU: thousands of instances to a launch, their threads in blocks that begin
// together, their words at places that change from launch to launch, other blocks around them that keep
// memory busy. Counts the states that the instances are left in.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

constexpr unsigned kThreads = 256;      ///< of a block
constexpr unsigned kMostBlocks = 264;   ///< that run shapes: two for each multiprocessor of an H100
constexpr unsigned kStates = 1u << 26;  ///< two bits for each of x, y and z, five for each of r
constexpr unsigned kWords = 1u << 23;   ///< that x, y and z of all instances lie among

/// How one launch places things.
struct Placement {
  int *words, *results;        ///< zeros; four results for each instance
  unsigned* begun;             ///< blocks that have
  int* scratch;                ///< what the busy blocks read and write
  unsigned groups;             ///< of blocks that share instances
  unsigned spread;             ///< words between one instance's x and the next one's
  unsigned apart;              ///< words between x, y and z of an instance
  unsigned turn, shift;        ///< of the threads of a role, and of the blocks
  unsigned delay;              ///< clocks that threads wait at most before they begin
  unsigned busy, busy_rounds;  ///< blocks that keep memory busy, and for how long
};

/// The words of an instance.
struct Words {
  int *x, *y, *z, *r;
};

__host__ __device__ inline Words words_of(const Placement& p, unsigned instance) {
  int* const x = p.words + std::size_t(instance) * p.spread;
  return {x, x + p.apart, x + 2 * p.apart, p.results + 4 * std::size_t(instance)};
}

__device__ inline unsigned mixed(unsigned n) {
  n = (n ^ n >> 16) * 0x7feb352du;
  n = (n ^ n >> 15) * 0x846ca68bu;
  return n ^ n >> 16;
}

/// Threads of a shape in one of its blocks, and blocks, of "001" two and two.
struct Layout {
  unsigned blocks = 0, most = 0;
  template <int N>
  __host__ __device__ constexpr explicit Layout(const char (&digits)[N]) {
    unsigned count[8] = {};
    for (int i = 0; i < N - 1; ++i) {
      const unsigned block = unsigned(digits[i] - '0');
      blocks = block + 1 > blocks ? block + 1 : blocks;
      ++count[block];
      most = count[block] > most ? count[block] : most;
    }
  }
};

/// All blocks of the launch that run shapes begin together, or nearly so.
__device__ inline void begin_together(const Placement& p, unsigned blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(p.begun, 1u);
    for (int i = 0; i < 100000 && *static_cast<volatile unsigned*>(p.begun) < blocks; ++i) continue;
  }
  __syncthreads();
}

__device__ inline void keep_busy(const Placement& p) {
  unsigned at = mixed(blockIdx.x * kThreads + threadIdx.x + p.turn);
  for (unsigned i = 0; i < p.busy_rounds; ++i) {
    at = mixed(at + i);
    volatile int* const word = p.scratch + at % (1u << 20);
    switch (at >> 28) {
      case 0:
        __threadfence();
        break;
      case 1:
        atomicAdd(const_cast<int*>(word), 1);
        break;
      default:
        *word = *word + int(at);
    }
  }
}

/// What a thread of the launch does: it finds its instance and its role in it.
template <int N, class Run>
__device__ inline void run_instance(const Placement& p, const char (&digits)[N], Run run) {
  constexpr unsigned kRoles = N - 1;
  const Layout layout(digits);
  const unsigned shaping = p.groups * layout.blocks;
  if (blockIdx.x >= shaping) return keep_busy(p);
  const unsigned block = (blockIdx.x + p.shift) % shaping;
  const unsigned group = block / layout.blocks, mine = block % layout.blocks;
  const unsigned to_a_role = kThreads / layout.most, nth = threadIdx.x / to_a_role;
  unsigned role = kRoles, before = 0;
  for (unsigned i = 0; i < kRoles; ++i)
    if (unsigned(digits[i] - '0') == mine && before++ == nth) role = i;
  // Threads of different roles that share an instance lie differently in their warps.
  const unsigned own = (threadIdx.x % to_a_role * (2 * (p.turn + role) + 1) + role * p.turn) % to_a_role;
  const Words w = words_of(p, group * to_a_role + own);
  begin_together(p, shaping);
  if (role == kRoles) return;
  if (p.delay != 0) {
    const long long until = clock64() + mixed(threadIdx.x / 32 + blockIdx.x * 37 + p.turn) % p.delay;
    while (clock64() < until) continue;
  }
  run(int(role), w);
}

__global__ void count_states(Placement p, unsigned instances, unsigned* states) {
  const unsigned instance = blockIdx.x * blockDim.x + threadIdx.x;
  if (instance >= instances) return;
  const Words w = words_of(p, instance);
  unsigned code = unsigned(*w.x & 3) << 24 | unsigned(*w.y & 3) << 22 | unsigned(*w.z & 3) << 20;
  for (int i = 0; i < 4; ++i) code |= unsigned(w.r[i] & 31) << 5 * i;
  atomicAdd(states + code, 1u);
}

__global__ void print_states(const char* name, const unsigned* states) {
  const unsigned code = blockIdx.x * blockDim.x + threadIdx.x;
  if (states[code] == 0) return;
  printf("%s x=%u y=%u z=%u r=%u,%u,%u,%u count=%u\n", name, code >> 24, code >> 22 & 3, code >> 20 & 3,
         code & 31, code >> 5 & 31, code >> 10 & 31, code >> 15 & 31, states[code]);
}

/// As in once.h; a launch is of many instances, and in place of the blocks it gets a placement.
#define SHAPE(name, blocks, right)                                                                      \
  __device__ static void name##_thread(int thread, int* x, int* y, int* z, int* r);                     \
  __global__ void __launch_bounds__(kThreads) name(Placement p) {                                       \
    run_instance(p, blocks, [](int role, const Words& w) { name##_thread(role, w.x, w.y, w.z, w.r); }); \
  }                                                                                                     \
  static const Stressed name##_stressed(                                                                \
      #name, Layout(blocks), [](unsigned grid, const Placement& p) { name<<<grid, kThreads>>>(p); });   \
  __device__ static void name##_thread(int thread, int* x, int* y, int* z, int* r)

#define SHAPE_ONCE(name, blocks, right) \
  __device__ [[maybe_unused]] static void name##_thread(int thread, int* x, int* y, int* z, int* r)

/// A shape that registers itself.
struct Stressed {
  std::string name;
  Layout layout;
  void (*launch)(unsigned grid, const Placement& p);
  static std::vector<Stressed>& all() {
    static std::vector<Stressed> list;
    return list;
  }
  Stressed(const char* name_, const Layout& layout_, void (*launch_)(unsigned, const Placement&))
      : name(name_), layout(layout_), launch(launch_) {
    all().push_back(*this);
  }
};

/// Memory that all shapes use.
struct Memory {
  Placement p{};
  unsigned* states = nullptr;
  char* name = nullptr;
  Memory() {
    cudaMalloc(&p.words, kWords * sizeof(int));
    cudaMalloc(&p.results, kMostBlocks * kThreads * 4 * sizeof(int));
    cudaMalloc(&p.begun, sizeof(unsigned));
    cudaMalloc(&p.scratch, (1u << 20) * sizeof(int));
    cudaMalloc(&states, kStates * sizeof(unsigned));
    cudaMalloc(&name, 64);
    cudaMemset(p.scratch, 0, (1u << 20) * sizeof(int));
  }
};

/// Another placement of so many instances.
inline void place(Placement& p, unsigned instances, std::mt19937& random) {
  const auto pick = [&](std::initializer_list<unsigned> from) {
    return from.begin()[random() % from.size()];
  };
  p.apart = pick({1, 2, 8, 31, 32, 33, 64, 1024, 32 * 1024 + 8});
  // x, y and z of an instance side by side, or each of them in an area of its own.
  p.spread = p.apart < 32 ? 3 * p.apart + pick({0, 1, 5, 29}) : pick({1, 1, 4, 32});
  if (p.apart >= 32) p.apart = instances * p.spread + p.apart;
  p.turn = unsigned(random());
  p.shift = unsigned(random()) % kMostBlocks;
  p.delay = pick({0, 0, 64, 512, 4096});
  p.busy = pick({0, 32, 128, 256});
  p.busy_rounds = pick({16, 64, 256});
}

inline void stress(const Stressed& shape, Memory& memory, double seconds, std::mt19937& random) {
  cudaMemset(memory.states, 0, kStates * sizeof(unsigned));
  cudaDeviceSynchronize();
  const auto began = std::chrono::steady_clock::now();
  Placement& p = memory.p;
  unsigned long long runs = 0, launches = 0;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < seconds) {
    for (int i = 0; i < 50; ++i, ++launches) {
      p.groups = 1 + unsigned(random()) % (kMostBlocks / shape.layout.blocks);
      const unsigned instances = p.groups * (kThreads / shape.layout.most);
      place(p, instances, random);
      const std::size_t words = std::size_t(instances) * p.spread + 3 * std::size_t(p.apart);
      if (words > kWords) continue;
      cudaMemsetAsync(p.words, 0, words * sizeof(int));
      cudaMemsetAsync(p.results, 0, instances * 4 * sizeof(int));
      cudaMemsetAsync(p.begun, 0, sizeof(unsigned));
      shape.launch(p.groups * shape.layout.blocks + p.busy, p);
      count_states<<<(instances + kThreads - 1) / kThreads, kThreads>>>(p, instances, memory.states);
      runs += instances;
    }
    if (cudaDeviceSynchronize() != cudaSuccess) break;
  }
  cudaMemcpy(memory.name, shape.name.c_str(), shape.name.size() + 1, cudaMemcpyHostToDevice);
  print_states<<<kStates / kThreads, kThreads>>>(memory.name, memory.states);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s launches=%llu runs=%llu %s\n", shape.name.c_str(), launches, runs,
              cudaGetErrorString(error));
}

/// All shapes, or the one that is named first; the last argument is the seconds for each.
int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[argc - 1]) : 1;
  cudaDeviceProp device{};
  cudaGetDeviceProperties(&device, 0);
  std::printf("card=%s\n", device.name);
  Memory memory;
  std::mt19937 random(20240607);
  for (const Stressed& shape : Stressed::all())
    if (argc < 3 || shape.name == argv[1]) stress(shape, memory, seconds, random);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
