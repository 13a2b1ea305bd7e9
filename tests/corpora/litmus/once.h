// A shape in one launch of as few threads as it has: for `ladder litmus` and `ladder sim`.
#pragma once

/// What is left when all threads have ended.
struct State {
  int x, y, z, r[4];
};

struct Shape {
  const char* name;
  const char* blocks;  ///< by thread a digit: "011" has thread 0 in one block and the others in another
  void (*launch)(unsigned blocks, unsigned threads);
  bool (*right)(const State& s);
};

inline std::vector<Shape>& shapes() {
  static std::vector<Shape> all;
  return all;
}

struct Registered {
  explicit Registered(const Shape& shape) { shapes().push_back(shape); }
};

__device__ int x, y, z;
__device__ alignas(16) int r[4];

/// The number of this thread among those of a shape; -1: it has none.
template <int N>
__device__ int thread_of(const char (&blocks)[N]) {
  int found = -1, before = 0;
#pragma unroll
  for (int i = 0; i < N - 1; ++i)
    if (blocks[i] - '0' == int(blockIdx.x) && before++ == int(threadIdx.x)) found = i;
  return found;
}

/// SHAPE(name, "blocks", what is right of a state s) { ... } is what a thread does.
#define SHAPE(name, blocks, right)                                                                      \
  __device__ static void name##_thread(int thread, int* x, int* y, int* z, int* r);                     \
  __global__ void name() {                                                                              \
    const int thread = thread_of(blocks);                                                               \
    if (thread >= 0) name##_thread(thread, &x, &y, &z, r);                                              \
  }                                                                                                     \
  static const Registered name##_entry({#name, blocks,                                                  \
                                        [](unsigned grid, unsigned block) { name<<<grid, block>>>(); }, \
                                        [](const State& s) -> bool { return right; }});                 \
  __device__ static void name##_thread(int thread, int* x, int* y, int* z, int* r)

/// One that a stress run leaves out: barriers and shared memory need a block of their own.
#define SHAPE_ONCE SHAPE

inline bool run(const Shape& shape) {
  unsigned blocks = 0, threads = 0, count[8] = {};
  for (const char* digit = shape.blocks; *digit; ++digit) {
    const unsigned block = unsigned(*digit - '0');
    if (block >= blocks) blocks = block + 1;
    if (++count[block] > threads) threads = count[block];
  }
  shape.launch(blocks, threads);
  State s;
  cudaMemcpyFromSymbol(&s.x, x, sizeof s.x);
  cudaMemcpyFromSymbol(&s.y, y, sizeof s.y);
  cudaMemcpyFromSymbol(&s.z, z, sizeof s.z);
  if (cudaMemcpyFromSymbol(s.r, r, sizeof s.r) != cudaSuccess) return false;
  std::printf("x=%d y=%d z=%d r=%d,%d,%d,%d\n", s.x, s.y, s.z, s.r[0], s.r[1], s.r[2], s.r[3]);
  return shape.right(s);
}

int main(int argc, char** argv) {
  for (const Shape& shape : shapes()) {
    if (argc < 2)
      std::puts(shape.name);
    else if (std::strcmp(argv[1], shape.name) == 0)
      return run(shape) ? 0 : 1;
  }
  return argc < 2 ? 0 : 2;
}
