// Copies by tensor maps, bulk reductions and clusters, printed: what a GPU gave (h200.txt) is the truth for
// the simulator.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

inline void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::printf("%s: %s\n", call, cudaGetErrorName(code));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

template <class T>
T* to_device(const std::vector<T>& values) {
  void* p = nullptr;
  CHECK(cudaMalloc(&p, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(p);
}
template <class T>
std::vector<T> to_host(const T* p, std::size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

/// A tensor of global memory and the box that is copied.
struct Tensor {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  unsigned rank = 2;
  std::uint64_t extent[5] = {1, 1, 1, 1, 1};
  std::uint64_t stride[4] = {};  ///< bytes, of the axes from the second on; 0: packed, in rows of 16 bytes
  unsigned box[5] = {1, 1, 1, 1, 1};
  unsigned step[5] = {1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  // Of convolutions:
  int lower[3] = {}, upper[3] = {};
  unsigned channels = 0, pixels = 0;

  /// Bytes of what a coordinate of the first axis counts: an element, or a slice of channels.
  unsigned unit_bytes() const;
  void pack();  ///< sets the strides that are 0
  std::uint64_t bytes() const;
};

unsigned element_bytes(CUtensorMapDataType type);

/// Whether the next case is this process's. A case that ends the GPU's context ends its process with
/// leave(), and those behind it run in another.
bool next_case();
[[noreturn]] void leave();

/// The driver's functions, got through the runtime.
CUresult encode_tiled(CUtensorMap* map, const Tensor& t, void* global);
CUresult encode_im2col(CUtensorMap* map, const Tensor& t, void* global);

/// Bytes that differ from place to place; as floats they are ordinary numbers.
std::vector<unsigned char> pattern(std::size_t bytes, CUtensorMapDataType type);

/// "name: " and the bytes in hexadecimal, of many a hash and the first ones.
void print(const std::string& name, const std::vector<unsigned char>& bytes);
/// "name = VALUE"
void print(const std::string& name, long long value);

void tiled_loads();
void stores_and_reductions();
void bulk_copies();
void convolutions();
void bad_maps();
void launches();
void faults(int which);  ///< one of kFaults, each in a process of its own
constexpr int kFaults = 20;
