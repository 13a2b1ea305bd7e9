// Two-dimensional blocks, a padded tile, vector types, ragged edges, pitched copies.
#include "program.h"

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int y = blockIdx.y * kTile + r;
    if (x < cols && y < rows) tile[r][threadIdx.x] = in[y * cols + x];
  }
  __syncthreads();
  const int out_x = blockIdx.y * kTile + threadIdx.x;
  for (int r = threadIdx.y; r < kTile; r += kRows) {
    const int out_y = blockIdx.x * kTile + r;
    if (out_x < rows && out_y < cols) out[out_y * rows + out_x] = tile[threadIdx.x][r];
  }
}

extern "C" bool check() {
  const int rows = 77, cols = 130;
  std::vector<float> in(rows * cols);
  for (int i = 0; i < rows * cols; ++i) in[i] = static_cast<float>(i);
  float* d_in = nullptr;
  float* d_out = nullptr;
  CUDA_OK(cudaMalloc(&d_in, in.size() * 4));
  CUDA_OK(cudaMalloc(&d_out, in.size() * 4));
  CUDA_OK(cudaMemcpy2D(d_in, cols * 4, in.data(), cols * 4, cols * 4, rows, cudaMemcpyHostToDevice));
  transpose<<<dim3((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile), dim3(kTile, kRows)>>>(d_out, d_in,
                                                                                                  rows, cols);
  CUDA_OK(cudaGetLastError());
  const auto out = to_host(d_out, in.size());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) EXPECT(out[c * rows + r] == in[r * cols + c]);
  }
  CUDA_OK(cudaFree(d_in));
  CUDA_OK(cudaFree(d_out));
  return true;
}
