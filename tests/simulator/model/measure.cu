// Measures the figures of a GPU that simulator/model/gpus/*.h mark (m): one experiment each, the best of a
// few runs.
//   nvcc -O3 -std=c++20 -gencode arch=compute_80,code=sm_90 tests/simulator/model/measure.cu -o measure
//   ./measure
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#define CHECK(call)                                 \
  if (const cudaError_t e = call; e != cudaSuccess) \
  std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)), std::exit(1)

namespace {

int sms;
double clock_ghz;

void tell(const char* name, double value, const char* unit) {
  std::printf("%-34s %12.4g %s\n", name, value, unit);
  std::fflush(stdout);
}

/// The shortest of some runs, in ns.
double shortest_ns(int runs, const std::function<void()>& work) {
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(from));
    work();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    best = std::min(best, 1e6 * double(ms));
  }
  return best;
}

__device__ unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void clocks_per_ns(double* out) {
  const unsigned long long t = nanoseconds();
  const long long c = clock64();
  while (nanoseconds() < t + 20'000'000) {
  }
  *out = double(clock64() - c) / double(nanoseconds() - t);
}

/// One thread follows pointers: clocks from a load to the next.
__global__ void chase(const unsigned* next, int steps, double* out, unsigned* end) {
  unsigned at = 0;
  for (int i = 0; i < steps; ++i) at = next[at];
  const long long c = clock64();
  for (int i = 0; i < steps; ++i) at = next[at];
  *out = double(clock64() - c) / steps;
  *end = at;
}
__global__ void chase_shared(int steps, double* out, unsigned* end) {
  __shared__ unsigned next[256];
  for (int i = 0; i < 256; ++i) next[i] = (i + 33) % 256;
  unsigned at = 0;
  const long long c = clock64();
  for (int i = 0; i < steps; ++i) at = next[at];
  *out = double(clock64() - c) / steps;
  *end = at;
}
__global__ void chain_of_adds(int steps, double* out, float* end, float by) {
  float x = by;
  const long long c = clock64();
#pragma unroll 64
  for (int i = 0; i < steps; ++i) x = fmaf(x, by, by);
  *out = double(clock64() - c) / steps;
  *end = x;
}
/// Instructions each of which needs the result of the one before.
enum class Link { special, twice, integer, convert, shuffle, vote, product };
template <Link kLink>
__global__ void chain_of(int steps, double* out, float* end, float by) {
  float x = by, d[4] = {};
  double y = by;
  int z = int(by) + 3 + threadIdx.x;  // what all lanes have alike would not be shuffled
  const long long c = clock64();
#pragma unroll 64
  for (int i = 0; i < steps; ++i) {
    if constexpr (kLink == Link::special) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    if constexpr (kLink == Link::twice) y = fma(y, double(by), y);
    if constexpr (kLink == Link::integer) asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(z));
    if constexpr (kLink == Link::convert)  // two instructions
      asm volatile("{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}" : "+r"(z));
    if constexpr (kLink == Link::shuffle) z = __shfl_xor_sync(~0u, z, 1);
    if constexpr (kLink == Link::vote) z = int(__ballot_sync(~0u, z != 0));
    if constexpr (kLink == Link::product)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
          "{%0,%1,%2,%3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(z));
  }
  *out = double(clock64() - c) / steps;
  *end = x + float(y) + float(z) + d[0];
}
__global__ void chain_of_atomics(unsigned* at, int steps, double* out) {
  unsigned x = 1;
  const long long c = clock64();
  for (int i = 0; i < steps; ++i) x = atomicAdd(at + (x & 1), 2u);
  *out = double(clock64() - c) / steps;
  at[2] = x;
}
__global__ void barriers(int steps, double* out) {
  __syncthreads();
  const long long c = clock64();
  for (int i = 0; i < steps; ++i) __syncthreads();
  if (threadIdx.x == 0) *out = double(clock64() - c) / steps;
}
/// Two blocks hand a number to and fro.
__global__ void relay(volatile unsigned* ball, int steps, double* out) {
  const long long c = clock64();
  for (unsigned i = blockIdx.x; i < 2 * unsigned(steps); i += 2) {
    while (*ball != i) {
    }
    __threadfence();
    *ball = i + 1;
  }
  if (blockIdx.x == 0) *out = double(clock64() - c) / (2 * steps);
}

/// Work for one unit of the SM: what it is, eight independent chains of it a thread.
enum class Unit {
  single,
  twice,
  special,
  integer,
  add,
  logic,
  shift,
  least,
  compare,
  mixed,
  convert,
  pair,
  tensor
};
template <Unit kUnit>
__global__ void busy(int steps, float by, float* out) {
  float x[8];
  double y[8];
  int z[8];
  float d[8][4] = {};
  for (int k = 0; k < 8; ++k) x[k] = by + k, y[k] = by + k, z[k] = int(by) + k;
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if constexpr (kUnit == Unit::single) x[k] = fmaf(x[k], by, by);
      if constexpr (kUnit == Unit::twice) y[k] = fma(y[k], double(by), double(by));
      if constexpr (kUnit == Unit::special) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
      if constexpr (kUnit == Unit::integer) z[k] = z[k] * z[(k + 1) % 8] + i;
      // As ptxas does them, which may take either of two pipes for one PTX instruction.
      if constexpr (kUnit == Unit::add)
        asm volatile("add.s32 %0, %0, %1;" : "+r"(z[k]) : "r"(z[(k + 1) % 8]));
      if constexpr (kUnit == Unit::logic)
        asm volatile("lop3.b32 %0, %0, %1, %2, 0xE8;"
                     : "+r"(z[k])
                     : "r"(z[(k + 1) % 8]), "r"(z[(k + 3) % 8]));
      if constexpr (kUnit == Unit::shift)
        asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(z[k]) : "r"(i));
      if constexpr (kUnit == Unit::least)
        asm volatile("min.s32 %0, %0, %1;" : "+r"(z[k]) : "r"(z[(k + 1) % 8]));
      if constexpr (kUnit == Unit::compare)  // two instructions
        asm volatile("{.reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %1, 7, p;}" : "+r"(z[k]) : "r"(i));
      if constexpr (kUnit == Unit::mixed) {  // two instructions, of two pipes
        asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(z[k]) : "r"(i));
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(z[k]) : "r"(z[(k + 1) % 8]));
      }
      if constexpr (kUnit == Unit::convert)  // two instructions
        asm volatile("{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}" : "+r"(z[k]));
      if constexpr (kUnit == Unit::pair) asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(z[k]));
      if constexpr (kUnit == Unit::tensor)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[k][0]), "+f"(d[k][1]), "+f"(d[k][2]), "+f"(d[k][3])
            : "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]));
    }
  }
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += x[k] + float(y[k]) + float(z[k]) + d[k][0] + d[k][1] + d[k][2] + d[k][3];
  if (sum == 1.2345f) *out = sum;
}
/// Warp instructions of the unit that an SM does in a clock.
template <Unit kUnit>
double rate(float* out) {
  constexpr int kSteps = 4000, kThreads = 512, kBlocksOfSm = 2;
  const double ns = shortest_ns(4, [&] { busy<kUnit><<<sms * kBlocksOfSm, kThreads>>>(kSteps, 1.f, out); });
  return 8.0 * kSteps * kBlocksOfSm * kThreads / 32 / (ns * clock_ghz);
}

/// Fetches with bilinear filter from a small texture: neighbouring lanes, neighbouring texels.
__global__ void fetches(cudaTextureObject_t texture, int steps, float* out) {
  float sum = 0;
  const float x = float(threadIdx.x % 32), y = float(threadIdx.x / 32);
  for (int i = 0; i < steps; ++i) sum += tex2D<float>(texture, x + 0.3f + float(i % 16), y + 0.4f);
  if (sum == 1.2345f) *out = sum;
}
__global__ void chain_of_fetches(cudaTextureObject_t texture, int steps, double* clocks, float* out) {
  float at = 0.5f;
  const long long c = clock64();
  for (int i = 0; i < steps; ++i) at = tex2D<float>(texture, at, 0.5f);
  *clocks = double(clock64() - c) / steps;
  *out = at;
}

__global__ void read_all(const float4* data, std::size_t n, int times, float* out) {
  float sum = 0;
  for (int t = 0; t < times; ++t)
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      const float4 v = __ldcg(data + i);
      sum += v.x + v.y + v.z + v.w;
    }
  if (sum == 1.2345f) *out = sum;
}
__global__ void scattered(const float* data, std::size_t mask, int steps, float* out) {
  std::size_t at = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9E3779B97F4A7C15ull;
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < steps; ++i) {
    at = at * 6364136223846793005ull + 1442695040888963407ull;
    sum += data[at >> 20 & mask];
  }
  if (sum == 1.2345f) *out = sum;
}
__global__ void add_to_one(unsigned* sum, int each) {
  for (int i = 0; i < each; ++i) atomicAdd(sum, threadIdx.x + i);
}
__global__ void add_to_line(unsigned* sum, int each) {
  for (int i = 0; i < each; ++i) atomicAdd(sum + threadIdx.x % 32, threadIdx.x + i);
}
__global__ void nothing() {}

/// A ring through @p bytes in steps of @p stride, in random order.
double chase_clocks(std::size_t bytes, std::size_t stride, double* result, unsigned* end) {
  const std::size_t n = bytes / stride;
  std::vector<unsigned> order(n), ring(bytes / 4);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  for (std::size_t i = 0; i < n; ++i) ring[order[i] * stride / 4] = unsigned(order[(i + 1) % n] * stride / 4);
  unsigned* device;
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMemcpy(device, ring.data(), bytes, cudaMemcpyHostToDevice));
  chase<<<1, 1>>>(device, int(std::min<std::size_t>(n, 40'000)), result, end);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(device));
  return *result;
}

void latencies(double* clocks, unsigned* end) {
  tell("load latency, L1", chase_clocks(16 << 10, 64, clocks, end), "clocks");
  tell("load latency, L2", chase_clocks(8 << 20, 256, clocks, end), "clocks");
  tell("load latency, DRAM", chase_clocks(std::size_t{1} << 30, 1 << 12, clocks, end), "clocks");
  const auto run = [&](const char* name, auto launch) {
    launch();
    launch();
    CHECK(cudaDeviceSynchronize());
    tell(name, *clocks, "clocks");
  };
  run("load latency, shared memory", [&] { chase_shared<<<1, 1>>>(4096, clocks, end); });
  run("dependent arithmetic",
      [&] { chain_of_adds<<<1, 1>>>(4096, clocks, reinterpret_cast<float*>(end), 0.5f); });
  run("barrier, 256 threads", [&] { barriers<<<1, 256>>>(1000, clocks); });
  run("barrier, 1024 threads", [&] { barriers<<<1, 1024>>>(1000, clocks); });
  const auto links = [&]<Link kLink>(const char* name, std::integral_constant<Link, kLink>) {
    run(name, [&] { chain_of<kLink><<<1, 32>>>(4096, clocks, reinterpret_cast<float*>(end), 0.5f); });
  };
  links("special function, its result", std::integral_constant<Link, Link::special>());
  links("double precision, its result", std::integral_constant<Link, Link::twice>());
  links("integer multiply-add, its result", std::integral_constant<Link, Link::integer>());
  links("to float and back, both results", std::integral_constant<Link, Link::convert>());
  links("shuffle, its result", std::integral_constant<Link, Link::shuffle>());
  links("ballot, its result", std::integral_constant<Link, Link::vote>());
  links("mma, its result", std::integral_constant<Link, Link::product>());
  unsigned* word;
  CHECK(cudaMalloc(&word, 256));
  CHECK(cudaMemset(word, 0, 256));
  run("atomic with result", [&] { chain_of_atomics<<<1, 1>>>(word, 1000, clocks); });
  CHECK(cudaMemset(word, 0, 256));
  relay<<<2, 1>>>(word, 1000, clocks);
  CHECK(cudaDeviceSynchronize());
  tell("word from block to block", *clocks, "clocks");
}

void textures(double* clocks, float* out) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t image;
  CHECK(cudaMallocArray(&image, &format, 64, 64));
  std::vector<float> zeros(64 * 64);
  CHECK(cudaMemcpy2DToArray(image, 0, 0, zeros.data(), 256, 256, 64, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = image;
  for (const bool linear : {false, true}) {
    cudaTextureDesc how{};
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    const double ns = shortest_ns(4, [&] { fetches<<<sms * 2, 1024>>>(texture, 2000, out); });
    tell(linear ? "texture fetches, bilinear" : "texture fetches, nearest",
         2000.0 * 2 * 32 / (ns * clock_ghz), "warps per SM and clock");
    chain_of_fetches<<<1, 1>>>(texture, 1000, clocks, out);
    CHECK(cudaDeviceSynchronize());
    tell("texture latency", *clocks, "clocks");
  }
}

void memory(float* out) {
  float4* data;
  const std::size_t most = std::size_t{4} << 30;
  CHECK(cudaMalloc(&data, most));
  CHECK(cudaMemset(data, 0, most));
  const auto read = [&](std::size_t bytes, int times) {
    return double(bytes) * times /
           shortest_ns(4, [&] { read_all<<<sms * 2, 1024>>>(data, bytes / 16, times, out); });
  };
  tell("L2 bandwidth, 16 MiB", read(16 << 20, 40), "GB/s");
  tell("L2 bandwidth, 32 MiB", read(32 << 20, 20), "GB/s");
  tell("DRAM bandwidth, 4 GiB", read(most, 1), "GB/s");
  for (const int log : {24, 30, 32}) {
    const std::size_t floats = std::size_t{1} << (log - 2);
    const double ns = shortest_ns(
        3, [&] { scattered<<<sms * 2, 1024>>>(reinterpret_cast<float*>(data), floats - 1, 64, out); });
    std::printf("2^%d bytes: ", log);
    tell("scattered sectors", 64.0 * sms * 2 * 1024 / ns, "per ns");
  }
  unsigned* word = reinterpret_cast<unsigned*>(data);
  double ns = shortest_ns(3, [&] { add_to_one<<<sms * 2, 1024>>>(word, 16); });
  tell("atomics on one word", ns / (16.0 * sms * 2 * 32), "ns a warp (ptxas adds up a warp)");
  ns = shortest_ns(3, [&] { add_to_line<<<sms * 2, 1024>>>(word, 16); });
  tell("atomics on one line", ns / (16.0 * sms * 2 * 32), "ns a warp");
  CHECK(cudaFree(data));
}

void launches() {
  nothing<<<1, 32>>>();
  tell("empty kernel", shortest_ns(20, [] { nothing<<<1, 32>>>(); }), "ns");
  const auto many = [](int kernels) {
    return shortest_ns(5, [=] {
      for (int i = 0; i < kernels; ++i) nothing<<<1, 32>>>();
    });
  };
  tell("one of many empty kernels", (many(3000) - many(1000)) / 2000, "ns");
  const auto blocks = [](int n, int threads) { return shortest_ns(5, [=] { nothing<<<n, threads>>>(); }); };
  for (const int threads : {32, 256, 1024}) {
    std::printf("%d threads: ", threads);
    tell("block started", (blocks(3 << 20, threads) - blocks(1 << 20, threads)) / (2 << 20), "ns");
  }
}

void copies() {
  const std::size_t bytes = 512 << 20;
  void *device, *pinned, *pageable = std::malloc(bytes);
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMallocHost(&pinned, bytes));
  std::memset(pinned, 1, bytes);
  std::memset(pageable, 1, bytes);
  const auto rate = [&](void* to, void* from, cudaMemcpyKind kind) {
    return double(bytes) / shortest_ns(4, [&] { CHECK(cudaMemcpyAsync(to, from, bytes, kind)); });
  };
  tell("pinned to device", rate(device, pinned, cudaMemcpyHostToDevice), "GB/s");
  tell("device to pinned", rate(pinned, device, cudaMemcpyDeviceToHost), "GB/s");
  tell("pageable to device", rate(device, pageable, cudaMemcpyHostToDevice), "GB/s");
  tell("device to pageable", rate(pageable, device, cudaMemcpyDeviceToHost), "GB/s");
  tell("small copy",
       shortest_ns(20, [&] { CHECK(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice)); }), "ns");
  float* managed;
  CHECK(cudaMallocManaged(&managed, bytes));
  std::memset(managed, 1, bytes);
  const cudaMemLocation gpu{cudaMemLocationTypeDevice, 0};
  tell("managed pages, prefetched",
       double(bytes) / shortest_ns(1, [&] { CHECK(cudaMemPrefetchAsync(managed, bytes, gpu, 0, nullptr)); }),
       "GB/s");
  const cudaMemLocation host{cudaMemLocationTypeHost, 0};
  tell("managed pages, prefetched to host",
       double(bytes) / shortest_ns(1, [&] { CHECK(cudaMemPrefetchAsync(managed, bytes, host, 0, nullptr)); }),
       "GB/s");
}

}  // namespace

int main() {
  cudaDeviceProp about;
  CHECK(cudaGetDeviceProperties(&about, 0));
  std::printf("%s\n", about.name);
  sms = about.multiProcessorCount;
  double* result;
  float* out;
  CHECK(cudaMallocManaged(&result, 64));
  CHECK(cudaMalloc(&out, 64));
  clocks_per_ns<<<1, 1>>>(result);
  clocks_per_ns<<<1, 1>>>(result);
  CHECK(cudaDeviceSynchronize());
  tell("clock", clock_ghz = *result, "GHz");
  latencies(result, reinterpret_cast<unsigned*>(out));
  tell("single precision", rate<Unit::single>(out), "warp instructions per SM and clock");
  tell("double precision", rate<Unit::twice>(out), "warp instructions per SM and clock");
  tell("special functions", rate<Unit::special>(out), "warp instructions per SM and clock");
  tell("integer multiply-add", rate<Unit::integer>(out), "warp instructions per SM and clock");
  tell("integer add", rate<Unit::add>(out), "warp instructions per SM and clock");
  tell("logic", rate<Unit::logic>(out), "warp instructions per SM and clock");
  tell("shift", rate<Unit::shift>(out), "warp instructions per SM and clock");
  tell("minimum", rate<Unit::least>(out), "warp instructions per SM and clock");
  tell("compare and select", rate<Unit::compare>(out), "pairs per SM and clock");
  tell("multiply-add and xor", rate<Unit::mixed>(out), "pairs per SM and clock");
  tell("to float and back", rate<Unit::convert>(out), "pairs per SM and clock");
  tell("multiply-add of halves in pairs", rate<Unit::pair>(out), "warp instructions per SM and clock");
  tell("mma.m16n8k16", rate<Unit::tensor>(out) * 16 * 8 * 16, "multiplications per SM and clock");
  textures(result, out);
  memory(out);
  launches();
  copies();
}
