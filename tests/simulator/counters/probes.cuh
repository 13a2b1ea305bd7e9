// One warp, one access, the lanes' addresses from a table: what a pattern costs, with nothing for ptxas to
// merge.
#pragma once

#include "patterns.h"

__device__ inline unsigned digest(unsigned char v) { return v; }
__device__ inline unsigned digest(unsigned short v) { return v; }
__device__ inline unsigned digest(unsigned v) { return v; }
__device__ inline unsigned digest(uint2 v) { return v.x + v.y; }
__device__ inline unsigned digest(uint4 v) { return v.x + v.y + v.z + v.w; }
__device__ inline void fill(unsigned char& v, unsigned x) { v = (unsigned char)x; }
__device__ inline void fill(unsigned short& v, unsigned x) { v = (unsigned short)x; }
__device__ inline void fill(unsigned& v, unsigned x) { v = x; }
__device__ inline void fill(uint2& v, unsigned x) { v = make_uint2(x, x + 1); }
__device__ inline void fill(uint4& v, unsigned x) { v = make_uint4(x, x + 1, x + 2, x + 3); }

template <class T>
__global__ void probe_global_load(const T* data, const int* element, unsigned* out) {
  const int e = element[threadIdx.x];
  unsigned sum = 0;
  if (e >= 0) sum = digest(data[e]);
  out[threadIdx.x] = sum;
}

template <class T>
__global__ void probe_global_store(T* data, const int* element) {
  const int e = element[threadIdx.x];
  T value;
  fill(value, threadIdx.x);
  if (e >= 0) data[e] = value;
}

/// All of shared memory written, so that loads read something defined: 4-byte stores, free of conflicts.
template <class T>
__device__ T* filled_tile() {
  extern __shared__ uint4 storage[];
  unsigned* words = reinterpret_cast<unsigned*>(storage);
  for (int i = threadIdx.x; i < int(kElements * sizeof(T) / 4); i += 32) words[i] = i;
  __syncthreads();
  return reinterpret_cast<T*>(storage);
}

template <class T>
__global__ void probe_shared_load(const int* element, unsigned* out) {
  T* tile = filled_tile<T>();
  const int e = element[threadIdx.x];
  unsigned sum = 0;
  if (e >= 0) sum = digest(tile[e]);
  out[threadIdx.x] = sum;
}

template <class T>
__global__ void probe_shared_store(const int* element, unsigned* out) {
  T* tile = filled_tile<T>();
  const int e = element[threadIdx.x];
  T value;
  fill(value, threadIdx.x);
  if (e >= 0) tile[e] = value;
  __syncthreads();
  out[threadIdx.x] = reinterpret_cast<unsigned*>(tile)[threadIdx.x];
}

enum class Atomic { add, add_one, exchange, cas, max, float_add };

template <Atomic kWhat, bool kResult, class T>
__device__ T update(T* at, T value) {
  if constexpr (kWhat == Atomic::add_one) return atomicAdd(at, T(1));
  if constexpr (kWhat == Atomic::add || kWhat == Atomic::float_add) return atomicAdd(at, value);
  if constexpr (kWhat == Atomic::exchange) return atomicExch(at, value);
  if constexpr (kWhat == Atomic::cas) return atomicCAS(at, T(0), value);
  if constexpr (kWhat == Atomic::max) return atomicMax(at, value);
}

template <Atomic kWhat, bool kResult, class T>
__global__ void probe_global_atomic(T* data, const int* element, T* out) {
  const int e = element[threadIdx.x];
  T old = T(0);
  if (e >= 0) old = update<kWhat, kResult>(data + e, T(threadIdx.x + 1));
  if (kResult) out[threadIdx.x] = old;
}

template <Atomic kWhat, bool kResult, class T>
__global__ void probe_shared_atomic(const int* element, T* out) {
  T* tile = filled_tile<T>();
  const int e = element[threadIdx.x];
  T old = T(0);
  if (e >= 0) old = update<kWhat, kResult>(tile + e, T(threadIdx.x + 1));
  __syncthreads();
  out[threadIdx.x] = kResult ? old : tile[threadIdx.x];
}

template <int kBytes>
__global__ void probe_copy_async(const uint4* data, const int* element, unsigned* out) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ uint4 storage[];
  char* tile = reinterpret_cast<char*>(storage);
  const int e = element[threadIdx.x];
  if (e >= 0) {
    const unsigned to = unsigned(__cvta_generic_to_shared(tile + threadIdx.x * kBytes));
    const char* from = reinterpret_cast<const char*>(data) + e * kBytes;
    if constexpr (kBytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(kBytes) : "memory");
  }
  asm volatile("cp.async.commit_group;\ncp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (e >= 0) out[threadIdx.x] = *reinterpret_cast<unsigned*>(tile + threadIdx.x * kBytes);
#endif
}

/// The same, but the pattern is where the bytes go in shared memory.
template <int kBytes>
__global__ void probe_copy_async_to(const uint4* data, const int* element, unsigned* out) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ uint4 storage[];
  char* tile = reinterpret_cast<char*>(storage);
  const int e = element[threadIdx.x];
  if (e >= 0) {
    const unsigned to = unsigned(__cvta_generic_to_shared(tile + e * kBytes));
    const char* from = reinterpret_cast<const char*>(data) + threadIdx.x * kBytes;
    if constexpr (kBytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(kBytes) : "memory");
  }
  asm volatile("cp.async.commit_group;\ncp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (e >= 0) out[threadIdx.x] = *reinterpret_cast<unsigned*>(tile + e * kBytes);
#endif
}

/// ldmatrix: each lane names a row of 16 bytes.
template <int kMatrices>
__global__ void probe_ldmatrix(const int* element, unsigned* out) {
  uint4* tile = filled_tile<uint4>();
  const int e = element[threadIdx.x];
  const unsigned from = unsigned(__cvta_generic_to_shared(tile + (e < 0 ? 0 : e)));
  unsigned r[4] = {};
  if constexpr (kMatrices == 1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(from));
  if constexpr (kMatrices == 2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(from));
  if constexpr (kMatrices == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from));
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

struct ProbeBuffers {
  void* data = device_zeros<char>(kElements * 16 + 64);
  int* element = device_zeros<int>(32);
  unsigned long long* out = device_zeros<unsigned long long>(32);
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  template <class T>
  T* result() const {
    return reinterpret_cast<T*>(out);
  }
  void set(const LanePattern& p) const {
    cudaMemcpy(element, p.element.data(), sizeof p.element, cudaMemcpyHostToDevice);
  }
};

template <class F>
void for_patterns(const ProbeBuffers& b, const std::string& what, const std::vector<LanePattern>& patterns,
                  F launch) {
  for (const LanePattern& p : patterns) {
    b.set(p);
    next(what + ": " + p.name);
    launch();
  }
}

template <class T>
void probe_width(const ProbeBuffers& b, int most_strides, int random) {
  const std::string bytes = std::to_string(sizeof(T)) + " bytes";
  const auto global = joined({strides(8),
                              {lanes_by("stride 32", [](int i) { return i * 32; })},
                              repeats(),
                              orders(),
                              masks(),
                              chances(random)});
  for_patterns(b, "global load, " + bytes, global,
               [&] { probe_global_load<T><<<1, 32>>>(b.as<T>(), b.element, b.result<unsigned>()); });
  for_patterns(b, "global store, " + bytes, joined({strides(4), repeats(), masks(), chances(random / 2)}),
               [&] { probe_global_store<T><<<1, 32>>>(b.as<T>(), b.element); });
  const auto shared = joined({strides(most_strides), repeats(), orders(), masks(), chances(random)});
  const unsigned room = kElements * sizeof(T);
  for_patterns(b, "shared load, " + bytes, shared,
               [&] { probe_shared_load<T><<<1, 32, room>>>(b.element, b.result<unsigned>()); });
  for_patterns(b, "shared store, " + bytes, shared,
               [&] { probe_shared_store<T><<<1, 32, room>>>(b.element, b.result<unsigned>()); });
}

template <Atomic kWhat, bool kResult, class T>
void probe_atomics(const ProbeBuffers& b, const std::string& what) {
  const auto patterns =
      joined({{strides(1)[0], strides(2)[1], lanes_by("stride 32", [](int i) { return i * 31; })},
              {repeats()[0], repeats()[1], repeats()[3], repeats()[8], repeats()[10]},
              {masks()[2], masks()[12]},
              chances(8)});
  const std::string name = what + (kResult ? ", result used" : "");
  for_patterns(b, "global " + name, patterns, [&] {
    probe_global_atomic<kWhat, kResult, T><<<1, 32>>>(b.as<T>(), b.element, b.result<T>());
  });
  for_patterns(b, "shared " + name, patterns, [&] {
    probe_shared_atomic<kWhat, kResult, T><<<1, 32, kElements * sizeof(T)>>>(b.element, b.result<T>());
  });
}

inline void probe_all_atomics() {
  const ProbeBuffers b;
  probe_atomics<Atomic::add, false, unsigned>(b, "add");
  probe_atomics<Atomic::add, true, unsigned>(b, "add");
  probe_atomics<Atomic::add_one, false, unsigned>(b, "add of 1");
  probe_atomics<Atomic::max, false, unsigned>(b, "max");
  probe_atomics<Atomic::exchange, true, unsigned>(b, "exchange");
  probe_atomics<Atomic::cas, true, unsigned>(b, "compare and swap");
  probe_atomics<Atomic::float_add, false, float>(b, "float add");
  probe_atomics<Atomic::add, false, unsigned long long>(b, "64-bit add");
}

inline void probe_copies() {
  const ProbeBuffers b;
  const auto copies = joined({strides(4),
                              {repeats()[0], repeats()[1], orders()[2], orders()[5]},
                              {masks()[2], masks()[4], masks()[12]},
                              chances(8)});
  const auto to =
      joined({strides(4), {orders()[3], orders()[6], orders()[8]}, {masks()[2], masks()[4], masks()[12]}});
  const auto copy = [&]<int kBytes>(std::integral_constant<int, kBytes>) {
    const std::string bytes = std::to_string(kBytes) + " bytes";
    for_patterns(b, "cp.async from, " + bytes, copies, [&] {
      probe_copy_async<kBytes><<<1, 32, 32 * kBytes>>>(b.as<uint4>(), b.element, b.result<unsigned>());
    });
    for_patterns(b, "cp.async to, " + bytes, to, [&] {
      probe_copy_async_to<kBytes>
          <<<1, 32, kElements * kBytes>>>(b.as<uint4>(), b.element, b.result<unsigned>());
    });
  };
  copy(std::integral_constant<int, 4>());
  copy(std::integral_constant<int, 8>());
  copy(std::integral_constant<int, 16>());
  const auto rows = joined(
      {{strides(1)[0], strides(2)[1], strides(4)[3], strides(8)[7],
        lanes_by("stride 5", [](int i) { return i * 5; }), lanes_by("stride 9", [](int i) { return i * 9; })},
       {orders()[6], orders()[8], repeats()[0], repeats()[1]},
       chances(6)});
  for_patterns(b, "ldmatrix x1", rows,
               [&] { probe_ldmatrix<1><<<1, 32, kElements * 16>>>(b.element, b.result<unsigned>()); });
  for_patterns(b, "ldmatrix x2", rows,
               [&] { probe_ldmatrix<2><<<1, 32, kElements * 16>>>(b.element, b.result<unsigned>()); });
  for_patterns(b, "ldmatrix x4", rows,
               [&] { probe_ldmatrix<4><<<1, 32, kElements * 16>>>(b.element, b.result<unsigned>()); });
}
