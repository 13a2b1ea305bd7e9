// arch: 90
// The number formats of the toolkit's headers: half, bfloat16, fp8, fp6, fp4, complex, vector types.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cmath>

#include "program.h"

/// Values that all the formats hold exactly, through each of them and back.
__global__ void round_trips(float* out, const float* in) {
  const int i = threadIdx.x;
  const float v = in[i];
  out[i] = __half2float(__float2half_rn(v));
  out[32 + i] = __bfloat162float(__float2bfloat16(v));
  out[64 + i] = float(__nv_fp8_e4m3(v));
  out[96 + i] = float(__nv_fp8_e5m2(v));
  out[128 + i] = float(__nv_fp6_e2m3(v));
  out[160 + i] = float(__nv_fp6_e3m2(v));
  out[192 + i] = float(__nv_fp4_e2m1(v));
  const __half2 pair = __floats2half2_rn(v, -v);
  const float2 sum = __half22float2(__hadd2(pair, __hfma2(pair, __float2half2_rn(2.f), pair)));
  out[224 + i] = sum.x + 2 * sum.y;  // 4 v - 8 v
  const __nv_bfloat162 brain = __floats2bfloat162_rn(v, 1.f);
  out[256 + i] = __low2float(__hmul2(brain, brain));
  const __nv_fp8x4_e4m3 four(make_float4(v, -v, 2 * v, 0));
  const float4 back = float4(four);
  out[288 + i] = back.x + back.y + back.z + back.w;
  const cuFloatComplex z = cuCmulf(make_cuFloatComplex(v, 1), make_cuFloatComplex(v, -1));
  out[320 + i] = cuCrealf(z) + cuCimagf(z);  // v^2 + 1
  out[352 + i] = __half2float(hsqrt(__float2half(v * v)));
  out[384 + i] = float(__hmax(__float2bfloat16(v), __float2bfloat16(0.f)));
  out[416 + i] = __hlt(__float2half(v), __float2half(0.f)) ? 1.f : 0.f;
  out[448 + i] = __half2float(__hfma(__float2half(v), __float2half(2.f), __float2half(1.f)));
  out[480 + i] = float(__ushort2half_rn(__half2ushort_rn(__float2half(fabsf(v)))));
}

/// Arithmetic of halves through atomics and warp intrinsics.
__global__ void sums(__half2* half_sum, __nv_bfloat162* brain_sum, __half* shuffled) {
  const int i = threadIdx.x;
  atomicAdd(half_sum, __floats2half2_rn(1.f, float(i % 4)));
  atomicAdd(brain_sum, __floats2bfloat162_rn(1.f, 0.5f));
  __half v = __float2half(float(i));
  for (int step = 16; step > 0; step /= 2) v = __hadd(v, __shfl_xor_sync(0xffffffff, v, step));
  if (i == 0) *shuffled = v;
}

extern "C" bool check() {
  std::vector<float> in(32);
  const float exact[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (int i = 0; i < 32; ++i) in[i] = (i & 8 ? -1 : 1) * exact[i % 8];
  float *d_in = to_device(in), *d_out = to_device(std::vector<float>(512));
  round_trips<<<1, 32>>>(d_out, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  const std::vector<float> out = to_host(d_out, 512);
  for (int i = 0; i < 32; ++i) {
    const float v = in[i];
    for (int format = 0; format < 7; ++format)
      EXPECT(out[32 * format + i] == v || (v == 0 && out[32 * format + i] == 0));
    EXPECT(out[224 + i] == -4 * v);
    EXPECT(out[256 + i] == v * v);
    EXPECT(out[288 + i] == 2 * v);
    EXPECT(out[320 + i] == v * v + 1);
    EXPECT(out[352 + i] == std::fabs(v));
    EXPECT(out[384 + i] == std::fmax(v, 0.f));
    EXPECT(out[416 + i] == (v < 0));
    EXPECT(out[448 + i] == 2 * v + 1);
    EXPECT(out[480 + i] == std::nearbyint(std::fabs(v)));
  }
  __half2* half_sum = to_device(std::vector<__half2>(1));
  __nv_bfloat162* brain_sum = to_device(std::vector<__nv_bfloat162>(1));
  __half* shuffled = to_device(std::vector<__half>(1));
  CUDA_OK(cudaMemset(half_sum, 0, 4));
  CUDA_OK(cudaMemset(brain_sum, 0, 4));
  sums<<<2, 32>>>(half_sum, brain_sum, shuffled);
  CUDA_OK(cudaDeviceSynchronize());
  EXPECT(__low2float(to_host(half_sum, 1)[0]) == 64 && __high2float(to_host(half_sum, 1)[0]) == 96);
  EXPECT(__low2float(to_host(brain_sum, 1)[0]) == 64 && __high2float(to_host(brain_sum, 1)[0]) == 32);
  EXPECT(__half2float(to_host(shuffled, 1)[0]) == 496);
  for (void* p : {(void*)d_in, (void*)d_out, (void*)half_sum, (void*)brain_sum, (void*)shuffled})
    CUDA_OK(cudaFree(p));
  return true;
}
