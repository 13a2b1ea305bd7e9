// How many blocks, of how many threads? The same copy_if, a draw for each warp, in four shapes of launch.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// The whole grid goes over the array together, as often as it takes.
/// @tparam kBlocks  of the grid; 0: as many as give each thread one element
template <int kBlocks, int kThreads>
__global__ void copy_if_kernel(int* out, int* kept, const int* in, int n) {
  const int lane = threadIdx.x % kWarp, stride = static_cast<int>(gridDim.x) * kThreads;
  // The place of lane 0 decides, so that all lanes of a warp go round equally often: a vote follows.
  for (int first = blockIdx.x * kThreads + threadIdx.x - lane; first < n; first += stride) {
    const int value = first + lane < n ? in[first + lane] : 0;
    const unsigned voters = __ballot_sync(kAllLanes, value > 0);
    int start = 0;
    if (lane == 0 && voters != 0) start = atomicAdd(kept, __popc(voters));
    start = __shfl_sync(kAllLanes, start, 0);
    if (value > 0) out[start + __popc(voters & ((1u << lane) - 1))] = value;
  }
}

template <int kBlocks, int kThreads>
static void run(int* out, int* kept, const int* in, int n, int expected) {
  const int blocks = kBlocks > 0 ? kBlocks : (n + kThreads - 1) / kThreads;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaMemset(kept, 0, sizeof(int)));
  check(cudaEventRecord(begin));
  copy_if_kernel<kBlocks, kThreads><<<blocks, kThreads>>>(out, kept, in, n);
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  int count = 0;
  check(cudaMemcpy(&count, kept, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("<<<%5d, %4d>>> %8.1f us%s\n", blocks, kThreads, milliseconds * 1000,
              count == expected ? "" : "  wrong");
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  std::vector<int> values(static_cast<std::size_t>(n));
  unsigned state = 1;
  int expected = 0;
  for (int& value : values) {
    state = 1664525 * state + 1013904223;  // pseudo-random: about half of them are wanted
    value = state >> 31 ? 1 : -1;
    expected += value > 0;
  }
  const std::size_t bytes = values.size() * sizeof(int);
  int *in = nullptr, *out = nullptr, *kept = nullptr;
  check(cudaMalloc(&in, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMalloc(&kept, sizeof(int)));
  check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice));
  run<32, 512>(out, kept, in, n, expected);
  run<128, 512>(out, kept, in, n, expected);
  run<512, 1024>(out, kept, in, n, expected);
  run<0, 512>(out, kept, in, n, expected);
  check(cudaFree(in));
  check(cudaFree(out));
  check(cudaFree(kept));
}
