// arch: 90a
// Factors of wgmma that a copy by a tensor map wrote in one way, and that a descriptor reads in another.
#include "../case.h"
#include "../factors.h"

constexpr CUtensorMapSwizzle kSwizzle128 = CU_TENSOR_MAP_SWIZZLE_128B, kSwizzle64 = CU_TENSOR_MAP_SWIZZLE_64B,
                             kNoSwizzle = CU_TENSOR_MAP_SWIZZLE_NONE;

// expect: descriptor shared
// wrong: the map swizzles by 128 bytes, and the descriptor of A says that there is no swizzle.
// cure:  a swizzle of 128 bytes in the descriptor.
__global__ void none_for_128(float* out, const __grid_constant__ CUtensorMap map_a,
                             const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a, {0, 16, 1024}) + 2 * k,  // <- descriptor
             descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(swizzle_in_the_map_alone) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  none_for_128<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kSwizzle128),
                                boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: the descriptors swizzle by 128 bytes, and the map of A does not.
// cure:  CU_TENSOR_MAP_SWIZZLE_128B for A, too.
__global__ void map_unswizzled(float* out, const __grid_constant__ CUtensorMap map_a,
                               const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a, {128, 16, 1024}) + 2 * k,  // <- descriptor
             descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(swizzle_in_the_descriptor_alone) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  map_unswizzled<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kNoSwizzle),
                                  boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: the map of B swizzles rows of 128 bytes, and its descriptor rows of 64.
// cure:  {128, 16, 1024}.
__global__ void narrow_swizzle(float* out, const __grid_constant__ CUtensorMap map_a,
                               const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a, {128, 16, 1024}) + 2 * k,  // <- descriptor
             descriptor_of(b, {64, 16, 512}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(swizzle_of_64_bytes_for_128) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  narrow_swizzle<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kSwizzle128),
                                  boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: eight rows of 128 bytes are 1024 bytes, not 512.
// cure:  a stride offset of 1024 bytes.
__global__ void half_a_stride(float* out, const __grid_constant__ CUtensorMap map_a,
                              const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a, {128, 16, 512}) + 2 * k,  // <- descriptor
             descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(stride_offset_of_four_rows) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  half_a_stride<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kSwizzle128),
                                 boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: of core matrices without a swizzle, the leading offset goes from 8 columns to the next, and the
// stride offset from 8 rows to the next. cure: {0, kM * 16, 128} for A.
__global__ void swapped_offsets(float* out, const __grid_constant__ CUtensorMap map_a,
                                const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(128) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load_3d(a, &map_a, 0, 0, &full), box_load_3d(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  multiply(d, descriptor_of(a, {0, 128, kM * 16}),  // <- descriptor
           descriptor_of(b, {0, kN * 16, 128}));
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(leading_and_stride_offset_swapped) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  swapped_offsets<<<1, kThreads>>>(out, core_matrices_of(a, kM, kM, 8), core_matrices_of(b, kN, kN, 8));
  finish();
}

// expect: descriptor shared
// wrong: A is 16 rows of 64 columns, transposed, in two boxes of 32 columns; the second one begins 1024 bytes
// behind the first, and not 512. cure: a leading offset of 1024 bytes.
__global__ void half_a_leading(float* out, const __grid_constant__ CUtensorMap map_a,
                               const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[2][16 * 32], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) {
    box_load(a[0], &map_a, 0, 0, &full);
    box_load(a[1], &map_a, 0, 32, &full);
    box_load(b, &map_b, 0, 0, &full);
  }
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  multiply<1>(d, descriptor_of(a, {64, 512, 512}), descriptor_of(b, {128, 16, 1024}));  // <- descriptor
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(leading_offset_of_half_a_box) {
  Buffer<float> out(kM * kN);
  const Matrix a(16, kColumns, 0), b(kN, kColumns, 1);
  half_a_leading<<<1, kThreads>>>(out, boxes_of(a, 16, 16, 32, kSwizzle64),
                                  boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: the same A, and the leading offset has been forgotten: columns 32 to 63 are 0 to 31 again.
// cure:  a leading offset of 1024 bytes.
__global__ void no_leading(float* out, const __grid_constant__ CUtensorMap map_a,
                           const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[2][16 * 32], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) {
    box_load(a[0], &map_a, 0, 0, &full);
    box_load(a[1], &map_a, 0, 32, &full);
    box_load(b, &map_b, 0, 0, &full);
  }
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  multiply<1>(d, descriptor_of(a, {64, 0, 512}), descriptor_of(b, {128, 16, 1024}));  // <- descriptor
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(leading_offset_forgotten) {
  Buffer<float> out(kM * kN);
  const Matrix a(16, kColumns, 0), b(kN, kColumns, 1);
  no_leading<<<1, kThreads>>>(out, boxes_of(a, 16, 16, 32, kSwizzle64), boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: the swizzle of copies goes by addresses, and so does that of descriptors: a base offset moves it
// away for a box that begins between two multiples of 1024. cure: no base offset.
__global__ void base_offset(float* out, const __grid_constant__ CUtensorMap map_a,
                            const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64 + 4 * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof(__half) * kM * 64 + sizeof b);
  __half* const rows = a + 4 * 64;
  if (threadIdx.x == 0) box_load(rows, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(rows, {128, 16, 1024, 3}) + 2 * k,  // <- descriptor
             descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(base_offset_of_no_use) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  base_offset<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kSwizzle128),
                               boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: 64 columns are two boxes of 32, and a row of 64 bytes has two steps of 16 halves. The third step
// begins in row 1 of the first box. cure:  a[k / 2], b[k / 2] and k % 2 * 2.
__global__ void four_steps(float* out, const __grid_constant__ CUtensorMap map_a,
                           const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[2][kM * 32], b[2][kN * 32];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      box_load(a[i], &map_a, 0, 32 * i, &full);
      box_load(b[i], &map_b, 0, 32 * i, &full);
    }
  }
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a[0], {64, 16, 512}) + 2 * k,  // <- descriptor
             descriptor_of(b[0], {64, 16, 512}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(more_steps_than_a_row_has) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  four_steps<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 32, kSwizzle64), boxes_of(b, kN, kN, 32, kSwizzle64));
  finish();
}

// expect: descriptor shared
// wrong: steps of 48 bytes: the third one begins at byte 112 and takes its second half from the next row.
// cure:  steps of 32 bytes.
__global__ void odd_steps(float* out, const __grid_constant__ CUtensorMap map_a,
                          const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a, {128, 16, 1024}) + 1 + 3 * k,  // <- descriptor
             descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(step_across_the_end_of_a_row) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  odd_steps<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kSwizzle128), boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
}

// expect: descriptor shared
// wrong: B is transposed, 32 rows of k. The product takes 0 to 7 and 16 to 23 of them, of A 0 to 15.
// cure:  a stride offset of 1024 bytes for B.
__global__ void other_k(float* out, const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64], b[32 * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  multiply<0, 1>(d, descriptor_of(a, {128, 16, 1024}), descriptor_of(b, {128, 16, 2048}));  // <- descriptor
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(k_of_b_with_a_gap) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(32, kColumns, 1);
  other_k<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kSwizzle128), boxes_of(b, 32, 32, 64, kSwizzle128));
  finish();
}
