// arch: 90a
// Correct: factors of wgmma in boxes of all layouts, read by descriptors that look odd and fit them.
#include "../case.h"
#include "../factors.h"

constexpr CUtensorMapSwizzle kSwizzle128 = CU_TENSOR_MAP_SWIZZLE_128B, kSwizzle64 = CU_TENSOR_MAP_SWIZZLE_64B,
                             kSwizzle32 = CU_TENSOR_MAP_SWIZZLE_32B, kNoSwizzle = CU_TENSOR_MAP_SWIZZLE_NONE;

/// Holds rows of sums against A(m, k) * B(n, k), for k below a depth.
template <class A, class B>
void check_sums(const Buffer<float>& out, int rows, int depth, A a, B b) {
  const std::vector<float> sums = out.host();
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < kN; ++n) {
      int sum = 0;
      for (int k = 0; k < depth; ++k) sum += a(m, k) * b(n, k);
      CHECK_THAT(sums[std::size_t(m * kN + n)] == float(sum));
    }
}
template <class A, class B>
void check_sums(const Buffer<float>& out, int rows, int depth, const A& a, const B& b, int) {
  check_sums(
      out, rows, depth, [&](int m, int k) { return a.at(m, k); }, [&](int n, int k) { return b.at(n, k); });
}

// A is one box of 128 rows, and each warpgroup begins in its middle or at its start. 128 columns are two
// boxes.
__global__ void halves_of_a_box(float* out, const __grid_constant__ CUtensorMap map_a,
                                const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[2][2 * kM * 64], b[2][kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      box_load(a[i], &map_a, 0, 64 * i, &full);
      box_load(b[i], &map_b, 0, 64 * i, &full);
    }
  }
  mbarrier_wait(&full, 0);
  const int group = threadIdx.x / kThreads;
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 8; ++k)
    multiply(d, descriptor_of(a[k / 4] + group * kM * 64, {128, 16, 1024}) + k % 4 * 2,
             descriptor_of(b[k / 4], {128, 16, 1024}) + k % 4 * 2);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(two_warpgroups_on_two_boxes) {
  Buffer<float> out(2 * kM * kN);
  const Matrix a(2 * kM, kColumns, 0), b(kN, kColumns, 1);
  halves_of_a_box<<<1, 2 * kThreads>>>(out, boxes_of(a, 2 * kM, 2 * kM, 64, kSwizzle128),
                                       boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
  check_sums(out, 2 * kM, 128, a, b, 0);
}

// Core matrices without a swizzle, by a box of three axes: 8 columns, rows, groups of columns.
__global__ void core_matrices(float* out, const __grid_constant__ CUtensorMap map_a,
                              const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(128) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load_3d(a, &map_a, 0, 0, &full), box_load_3d(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a + k * 16 * kM, {0, kM * 16, 128}),
             descriptor_of(b + k * 16 * kN, {0, kN * 16, 128}));
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(core_matrices_by_a_box_of_three_axes) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  core_matrices<<<1, kThreads>>>(out, core_matrices_of(a, kM, kM, 8), core_matrices_of(b, kN, kN, 8));
  finish();
  check_sums(out, kM, 64, a, b, 0);
}

// Rows of 64 bytes, and of 32.
template <int kSwizzle>
__global__ void narrow_rows(float* out, const __grid_constant__ CUtensorMap map_a,
                            const __grid_constant__ CUtensorMap map_b) {
  constexpr int kWidth = kSwizzle / int(sizeof(__half));
  __shared__ alignas(1024) __half a[kM * kWidth], b[kN * kWidth];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < kWidth / 16; ++k)
    multiply(d, descriptor_of(a, {kSwizzle, 16, 8 * kSwizzle}) + 2 * k,
             descriptor_of(b, {kSwizzle, 16, 8 * kSwizzle}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(rows_of_64_bytes) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  narrow_rows<64>
      <<<1, kThreads>>>(out, boxes_of(a, kM, kM, 32, kSwizzle64), boxes_of(b, kN, kN, 32, kSwizzle64));
  finish();
  check_sums(out, kM, 32, a, b, 0);
}
CASE(rows_of_32_bytes) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  narrow_rows<32>
      <<<1, kThreads>>>(out, boxes_of(a, kM, kM, 16, kSwizzle32), boxes_of(b, kN, kN, 16, kSwizzle32));
  finish();
  check_sums(out, kM, 16, a, b, 0);
}

// Both factors are stored transposed: rows are k.
template <int kStride>
__global__ void transposed(float* out, const __grid_constant__ CUtensorMap map_a,
                           const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[32 * 64], b[32 * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 2; ++k) {
    // Either 16 rows and the next 16, or 0 to 7 with 16 to 23 and the rest: of A as of B.
    const int first = kStride == 1024 ? 16 * k : 8 * k;
    multiply<1, 1>(d, descriptor_of(a + first * 64, {128, 16, kStride}),
                   descriptor_of(b + first * 64, {128, 16, kStride}));
  }
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
template <int kStride>
void run_transposed() {
  Buffer<float> out(kM * kN);
  const Matrix a(32, kColumns, 0), b(32, kColumns, 1);
  transposed<kStride>
      <<<1, kThreads>>>(out, boxes_of(a, 32, 32, 64, kSwizzle128), boxes_of(b, 32, 32, 64, kSwizzle128));
  finish();
  check_sums(
      out, kM, 32, [&](int m, int k) { return a.at(k, m); }, [&](int n, int k) { return b.at(k, n); });
}
CASE(both_factors_transposed) { run_transposed<1024>(); }
CASE(k_in_another_order_in_both_factors) { run_transposed<2048>(); }

// A transposed, of two boxes of 32 columns: the leading offset goes from one to the next.
__global__ void two_columns_of_boxes(float* out, const __grid_constant__ CUtensorMap map_a,
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
  multiply<1>(d, descriptor_of(a, {64, 1024, 512}), descriptor_of(b, {128, 16, 1024}));
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(transposed_in_two_boxes) {
  Buffer<float> out(kM * kN);
  const Matrix a(16, kColumns, 0), b(kN, kColumns, 1);
  two_columns_of_boxes<<<1, kThreads>>>(out, boxes_of(a, 16, 16, 32, kSwizzle64),
                                        boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
  check_sums(
      out, kM, 16, [&](int m, int k) { return a.at(k, m); }, [&](int n, int k) { return b.at(n, k); });
}

// A box that begins between two multiples of 1024: the swizzle goes by addresses, of the copy as of the
// product.
__global__ void between_patterns(float* out, const __grid_constant__ CUtensorMap map_a,
                                 const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64 + 3 * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof(__half) * kM * 64 + sizeof b);
  __half* const rows = a + 3 * 64;
  if (threadIdx.x == 0) box_load(rows, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(rows, {128, 16, 1024}) + 2 * k, descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(box_between_two_multiples_of_1024) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  between_patterns<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kSwizzle128),
                                    boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
  check_sums(out, kM, 64, a, b, 0);
}

// A window of 64 rows that slides over a box of 72, as for a convolution: sums of three shifts.
__global__ void sliding_window(float* out, const __grid_constant__ CUtensorMap map_a,
                               const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[72 * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int shift = 0; shift < 3; ++shift)
    multiply(d, descriptor_of(a + shift * 64, {128, 16, 1024}),
             descriptor_of(b, {128, 16, 1024}) + 2 * shift);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(window_that_slides_over_a_box) {
  Buffer<float> out(kM * kN);
  const Matrix a(72, kColumns, 0), b(kN, kColumns, 1);
  sliding_window<<<1, kThreads>>>(out, boxes_of(a, 72, 72, 64, kSwizzle128),
                                  boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
  check_sums(
      out, kM, 48, [&](int m, int k) { return a.at(m + k / 16, k % 16); },
      [&](int n, int k) { return b.at(n, k); });
}

// Rows gathered from all over the matrix, 8 and 4 to a box, and eight rows that are read as all 64.
__global__ void gathered(float* out, const __grid_constant__ CUtensorMap eights,
                         const __grid_constant__ CUtensorMap fours, const __grid_constant__ CUtensorMap map_b,
                         int stride) {
  __shared__ alignas(1024) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 7; ++i) box_load(a + i * 8 * 64, &eights, 3 * i, 0, &full);
    box_load(a + 56 * 64, &fours, 40, 0, &full);
    box_load(a + 60 * 64, &fours, 33, 0, &full);
    box_load(b, &map_b, 0, 0, &full);
  }
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a, {128, 16, stride}) + 2 * k, descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(rows_gathered_by_many_boxes) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  gathered<<<1, kThreads>>>(out, boxes_of(a, kM, 8, 64, kSwizzle128), boxes_of(a, kM, 4, 64, kSwizzle128),
                            boxes_of(b, kN, kN, 64, kSwizzle128), 1024);
  finish();
  check_sums(
      out, kM, 64,
      [&](int m, int k) {
        return a.at(m < 56 ? m / 8 * 3 + m % 8 : m < 60 ? m - 16 : m - 27, k);
      },
      [&](int n, int k) { return b.at(n, k); });
}
CASE(eight_rows_read_as_64) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  gathered<<<1, kThreads>>>(out, boxes_of(a, kM, 8, 64, kSwizzle128), boxes_of(a, kM, 4, 64, kSwizzle128),
                            boxes_of(b, kN, kN, 64, kSwizzle128), 0);
  finish();
  check_sums(
      out, kM, 64, [&](int m, int k) { return a.at(m % 8, k); }, [&](int n, int k) { return b.at(n, k); });
}

/// A matrix of 64 x 64 as core matrices, packed: eight rows of a core matrix are a row of the tensor.
class Packed {
 public:
  Packed(int rows, const Matrix& of) {
    std::vector<__half> values(std::size_t(rows) * 64);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < 64; ++c)
        values[std::size_t(c / 8 * rows * 8 + r * 8 + c % 8)] = __float2half(float(of.at(r, c)));
    cudaMalloc(&data_, values.size() * sizeof(__half));
    cudaMemcpy(data_, values.data(), values.size() * sizeof(__half), cudaMemcpyHostToDevice);
  }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  ~Packed() { cudaFree(data_); }
  CUtensorMap map(int rows) const {
    return map_of(data_, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, unsigned(rows), 64, unsigned(rows), 64);
  }

 private:
  __half* data_ = nullptr;
};

// Packed on the host in the order that products read: the box's rows are none of the matrix.
__global__ void packed_boxes(float* out, const __grid_constant__ CUtensorMap map_a,
                             const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(128) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a + k * 16 * kM, {0, kM * 16, 128}),
             descriptor_of(b + k * 16 * kN, {0, kN * 16, 128}));
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(matrices_packed_by_the_host) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  const Packed packed_a(kM, a), packed_b(kN, b);
  packed_boxes<<<1, kThreads>>>(out, packed_a.map(kM), packed_b.map(kN));
  finish();
  check_sums(out, kM, 64, a, b, 0);
}

// The box comes as the matrix has it, and threads put it in the order of core matrices at the same place.
__global__ void arranged_in_place(float* out, const __grid_constant__ CUtensorMap map_a,
                                  const __grid_constant__ CUtensorMap map_b) {
  __shared__ alignas(1024) __half a[kM * 64], b[kN * 64];
  __shared__ std::uint64_t full;
  announce(&full, sizeof a + sizeof b);
  if (threadIdx.x == 0) box_load(a, &map_a, 0, 0, &full), box_load(b, &map_b, 0, 0, &full);
  mbarrier_wait(&full, 0);
  __half row[64 * kM / kThreads];
  for (int i = 0; i < 64 * kM / kThreads; ++i) row[i] = a[i * kThreads + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 64 * kM / kThreads; ++i) {
    const int r = (i * kThreads + threadIdx.x) / 64, c = threadIdx.x % 64;
    a[c / 8 * kM * 8 + r * 8 + c % 8] = row[i];
  }
  fence_proxy();
  __syncthreads();
  float d[4] = {};
  wgmma_fence();
  for (int k = 0; k < 4; ++k)
    multiply(d, descriptor_of(a + k * 16 * kM, {0, kM * 16, 128}), descriptor_of(b, {128, 16, 1024}) + 2 * k);
  wgmma_commit();
  wgmma_wait<0>();
  store_sums(out, d);
}
CASE(box_arranged_in_place) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  arranged_in_place<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 64, kNoSwizzle),
                                     boxes_of(b, kN, kN, 64, kSwizzle128));
  finish();
  check_sums(out, kM, 64, a, b, 0);
}

// A ring of two stages, whose boxes have rows of 64 and of 32 bytes.
__global__ void ring(float* out, const __grid_constant__ CUtensorMap wide_a,
                     const __grid_constant__ CUtensorMap wide_b, const __grid_constant__ CUtensorMap narrow_a,
                     const __grid_constant__ CUtensorMap narrow_b) {
  __shared__ alignas(1024) __half a[2][kM * 64], b[2][kN * 64];
  __shared__ std::uint64_t full[2];
  if (threadIdx.x == 0) mbarrier_init(&full[0], 1), mbarrier_init(&full[1], 1), fence_mbarrier_init();
  __syncthreads();
  float d[4] = {};
  int column = 0;
  for (int turn = 0; turn < 5; ++turn) {
    const int stage = turn % 2, width = turn % 3 == 0 ? 32 : 16;  // columns
    if (threadIdx.x == 0) {
      mbarrier_expect(&full[stage], width * (kM + kN) * 2);
      box_load(a[stage], width == 32 ? &wide_a : &narrow_a, 0, column, &full[stage]);
      box_load(b[stage], width == 32 ? &wide_b : &narrow_b, 0, column, &full[stage]);
    }
    mbarrier_wait(&full[stage], turn / 2 % 2);
    wgmma_fence();
    for (int k = 0; k < width / 16; ++k)
      multiply(d, descriptor_of(a[stage], {width * 2, 16, width * 16}) + 2 * k,
               descriptor_of(b[stage], {width * 2, 16, width * 16}) + 2 * k);
    wgmma_commit();
    wgmma_wait<0>();
    __syncthreads();
    column += width;
  }
  store_sums(out, d);
}
CASE(ring_of_boxes_of_two_shapes) {
  Buffer<float> out(kM * kN);
  const Matrix a(kM, kColumns, 0), b(kN, kColumns, 1);
  ring<<<1, kThreads>>>(out, boxes_of(a, kM, kM, 32, kSwizzle64), boxes_of(b, kN, kN, 32, kSwizzle64),
                        boxes_of(a, kM, kM, 16, kSwizzle32), boxes_of(b, kN, kN, 16, kSwizzle32));
  finish();
  check_sums(out, kM, 112, a, b, 0);
}
