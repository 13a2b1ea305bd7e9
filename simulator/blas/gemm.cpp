// Matrix products: C = alpha op(A) op(B) + beta C, column by column, in the types that cuBLAS mixes.
#include <type_traits>
#include <vector>

#include "simulator/blas/blas.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/instructions/convert/half.h"
#include "simulator/instructions/matrix/tensor_product.h"

namespace sim::cudart::blas {
namespace {

/// 16-bit floats as the simulator's instructions read and round them: not every compiler has a type for them.
struct Float16 {
  exec::f16 bits;
  explicit operator float() const { return exec::widened(bits); }
  static Float16 from(float value) { return {exec::to_f16(value)}; }
};
struct BFloat16 {
  exec::bf16 bits;
  explicit operator float() const { return exec::widened(bits); }
  static BFloat16 from(float value) { return {exec::to_bf16(value)}; }
};

std::size_t size_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8I:
      return 1;
    default:
      throw StatusError{not_supported};
  }
}

template <class T>
T element(const std::byte* at, cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<T>(*reinterpret_cast<const double*>(at));
    case CUDA_R_32F:
      return static_cast<T>(*reinterpret_cast<const float*>(at));
    case CUDA_R_32I:
      return static_cast<T>(*reinterpret_cast<const std::int32_t*>(at));
    case CUDA_R_16F:
      return static_cast<T>(static_cast<float>(*reinterpret_cast<const Float16*>(at)));
    case CUDA_R_16BF:
      return static_cast<T>(static_cast<float>(*reinterpret_cast<const BFloat16*>(at)));
    default:
      return static_cast<T>(*reinterpret_cast<const std::int8_t*>(at));
  }
}

template <class T>
void store(std::byte* at, cudaDataType type, T value) {
  switch (type) {
    case CUDA_R_64F:
      *reinterpret_cast<double*>(at) = static_cast<double>(value);
      break;
    case CUDA_R_32F:
      *reinterpret_cast<float*>(at) = static_cast<float>(value);
      break;
    case CUDA_R_32I:
      *reinterpret_cast<std::int32_t*>(at) = static_cast<std::int32_t>(value);
      break;
    case CUDA_R_16F:
      *reinterpret_cast<Float16*>(at) = Float16::from(static_cast<float>(value));
      break;
    case CUDA_R_16BF:
      *reinterpret_cast<BFloat16*>(at) = BFloat16::from(static_cast<float>(value));
      break;
    default:
      *reinterpret_cast<std::int8_t*>(at) = static_cast<std::int8_t>(value);
  }
}

/// A matrix in memory: column-major, @p leading elements from column to column.
struct Matrix {
  const void* start;
  cudaDataType type;
  int leading;
  bool transposed = false;
  std::int64_t batch_stride = 0;  ///< elements
};

struct Product {
  int m, n, k;
  Matrix a, b, c;
  int batches = 1;
};

/// op(X) as @p rows x @p columns numbers, column by column.
template <class T>
std::vector<T> dense(const Matrix& x, int rows, int columns, const char* role) {
  const std::size_t size = size_of(x.type);
  const auto leading = static_cast<std::size_t>(x.leading);
  const auto stored_rows = static_cast<std::size_t>(x.transposed ? columns : rows);
  const auto stored_columns = static_cast<std::size_t>(x.transposed ? rows : columns);
  require(leading >= stored_rows);
  std::vector<T> all(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  if (all.empty()) return all;
  const std::byte* bytes =
      bytes_of(x.start, ((stored_columns - 1) * leading + stored_rows) * size, "cublas gemm", role);
  std::size_t at = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
      all[at++] = element<T>(bytes + (x.transposed ? r * leading + c : c * leading + r) * size, x.type);
  }
  return all;
}

Matrix batch(Matrix x, int number) {
  x.start = static_cast<const std::byte*>(x.start) +
            number * x.batch_stride * static_cast<std::int64_t>(size_of(x.type));
  return x;
}

/// a * b, column by column. Of 16-bit numbers as the tensor cores add them, else as a plain sum.
template <class T>
std::vector<T> products(const Product& p) {
  const std::vector<T> a = dense<T>(p.a, p.m, p.k, "matrix A"), b = dense<T>(p.b, p.k, p.n, "matrix B");
  const auto m = static_cast<std::size_t>(p.m), n = static_cast<std::size_t>(p.n),
             k = static_cast<std::size_t>(p.k);
  if constexpr (std::is_same_v<T, float>) {
    if (p.a.type == p.b.type && (p.a.type == CUDA_R_16F || p.a.type == CUDA_R_16BF))
      return exec::tensor_product(p.a.type == CUDA_R_16F ? exec::Half::f16 : exec::Half::bf16, a, b, m, n, k);
  }
  std::vector<T> sums(m * n);
  for (std::size_t j = 0; j < n; ++j) {
    T* const column = sums.data() + j * m;
    for (std::size_t l = 0; l < k; ++l) {
      const T factor = b[j * k + l];
      const T* from = a.data() + l * m;
      for (std::size_t i = 0; i < m; ++i) column[i] += from[i] * factor;
    }
  }
  return sums;
}

template <class T>
void multiply(const Product& p, T alpha, T beta) {
  const std::vector<T> sums = products<T>(p);
  const auto m = static_cast<std::size_t>(p.m), n = static_cast<std::size_t>(p.n);
  const auto leading = static_cast<std::size_t>(p.c.leading);
  const std::size_t size = size_of(p.c.type);
  require(leading >= m);
  if (m == 0 || n == 0) return;
  std::byte* c = bytes_of(p.c.start, ((n - 1) * leading + m) * size, "cublas gemm", "matrix C");
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      std::byte* at = c + (j * leading + i) * size;
      const T sum = sums[j * m + i];
      // Where beta is 0, C need not hold numbers.
      store<T>(at, p.c.type, beta == T{} ? alpha * sum : alpha * sum + beta * element<T>(at, p.c.type));
    }
  }
}

/// @tparam T  the type of the sums
/// @tparam S  the type of alpha and beta
template <class T, class S = T>
Status gemm(Handle* handle, const Product& p, const void* alpha, const void* beta) {
  return call(handle, [&] {
    require(p.m >= 0 && p.n >= 0 && p.k >= 0 && p.batches >= 0);
    const Scalar<T, S> given_alpha(*handle, alpha), given_beta(*handle, beta);
    submit(stream_of(handle->stream), [=](CUstream_st& on) {
      note_written_somewhere();
      const T scale = given_alpha(), keep = given_beta();
      for (int i = 0; i < p.batches; ++i)
        multiply<T>({p.m, p.n, p.k, batch(p.a, i), batch(p.b, i), batch(p.c, i)}, scale, keep);
      const double m = p.m, n = p.n, k = p.k;
      const double bytes = m * k * double(size_of(p.a.type)) + k * n * double(size_of(p.b.type)) +
                           m * n * double(size_of(p.c.type));
      charge(on, 2 * m * n * k * p.batches, bytes * p.batches);
    });
  });
}

/// cublasComputeType_t, as far as the type of the sums goes.
Status gemm_by_type(Handle* handle, const Product& p, const void* alpha, const void* beta, int compute) {
  switch (compute) {
    case 64:  // CUBLAS_COMPUTE_16F, and pedantic
    case 65:
      return gemm<float, Float16>(handle, p, alpha, beta);
    case 68:  // CUBLAS_COMPUTE_32F: pedantic, and with faster inputs
    case 69:
    case 74:
    case 75:
    case 77:
    case 78:
      return gemm<float>(handle, p, alpha, beta);
    case 70:  // CUBLAS_COMPUTE_64F
    case 71:
      return gemm<double>(handle, p, alpha, beta);
    case 72:  // CUBLAS_COMPUTE_32I
    case 73:
      if (p.c.type == CUDA_R_32I) return gemm<std::int32_t>(handle, p, alpha, beta);
      return not_supported;
    default:
      return not_supported;
  }
}

/// Operands of a product, as the C functions list them. op 0: as it is; 1 and 2: transposed.
struct Operands {
  int op_a, op_b, m, n, k;
  const void* a;
  cudaDataType a_type;
  int lda;
  const void* b;
  cudaDataType b_type;
  int ldb;
  void* c;
  cudaDataType c_type;
  int ldc;
  long long stride_a = 0, stride_b = 0, stride_c = 0;
  int batches = 1;

  Product product() const {
    return {m,
            n,
            k,
            {a, a_type, lda, op_a != 0, stride_a},
            {b, b_type, ldb, op_b != 0, stride_b},
            {c, c_type, ldc, false, stride_c},
            batches};
  }
};

/// Batches whose matrices lie anywhere: arrays of pointers in device memory.
template <class T>
Status gemm_batched(Handle* handle, Operands o, const void* alpha, const void* const* a, const void* const* b,
                    const void* beta, void* const* c, int batches) {
  Status status = success;
  for (int i = 0; i < batches && status == success; ++i) {
    status = call(handle, [&] {
      o.a = scalar<const void*>(a + i);
      o.b = scalar<const void*>(b + i);
      o.c = scalar<void*>(c + i);
    });
    if (status == success) status = gemm<T>(handle, o.product(), alpha, beta);
  }
  return status;
}

}  // namespace
}  // namespace sim::cudart::blas

using namespace sim::cudart::blas;

extern "C" {

Status cublasSgemm_v2(Handle* h, int op_a, int op_b, int m, int n, int k, const float* alpha, const float* a,
                      int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  const Operands o{op_a, op_b, m, n, k, a, CUDA_R_32F, lda, b, CUDA_R_32F, ldb, c, CUDA_R_32F, ldc};
  return gemm<float>(h, o.product(), alpha, beta);
}

Status cublasDgemm_v2(Handle* h, int op_a, int op_b, int m, int n, int k, const double* alpha,
                      const double* a, int lda, const double* b, int ldb, const double* beta, double* c,
                      int ldc) {
  const Operands o{op_a, op_b, m, n, k, a, CUDA_R_64F, lda, b, CUDA_R_64F, ldb, c, CUDA_R_64F, ldc};
  return gemm<double>(h, o.product(), alpha, beta);
}

Status cublasHgemm(Handle* h, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                   int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  const Operands o{op_a, op_b, m, n, k, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, c, CUDA_R_16F, ldc};
  return gemm<float, Float16>(h, o.product(), alpha, beta);
}

Status cublasGemmEx(Handle* h, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                    cudaDataType a_type, int lda, const void* b, cudaDataType b_type, int ldb,
                    const void* beta, void* c, cudaDataType c_type, int ldc, int compute, int) {
  const Operands o{op_a, op_b, m, n, k, a, a_type, lda, b, b_type, ldb, c, c_type, ldc};
  return gemm_by_type(h, o.product(), alpha, beta, compute);
}

Status cublasSgemmEx(Handle* h, int op_a, int op_b, int m, int n, int k, const float* alpha, const void* a,
                     cudaDataType a_type, int lda, const void* b, cudaDataType b_type, int ldb,
                     const float* beta, void* c, cudaDataType c_type, int ldc) {
  const Operands o{op_a, op_b, m, n, k, a, a_type, lda, b, b_type, ldb, c, c_type, ldc};
  return gemm<float>(h, o.product(), alpha, beta);
}

Status cublasSgemmStridedBatched(Handle* h, int op_a, int op_b, int m, int n, int k, const float* alpha,
                                 const float* a, int lda, long long stride_a, const float* b, int ldb,
                                 long long stride_b, const float* beta, float* c, int ldc, long long stride_c,
                                 int batches) {
  const Operands o{op_a,       op_b, m, n,          k,   a,        CUDA_R_32F, lda,      b,
                   CUDA_R_32F, ldb,  c, CUDA_R_32F, ldc, stride_a, stride_b,   stride_c, batches};
  return gemm<float>(h, o.product(), alpha, beta);
}

Status cublasDgemmStridedBatched(Handle* h, int op_a, int op_b, int m, int n, int k, const double* alpha,
                                 const double* a, int lda, long long stride_a, const double* b, int ldb,
                                 long long stride_b, const double* beta, double* c, int ldc,
                                 long long stride_c, int batches) {
  const Operands o{op_a,       op_b, m, n,          k,   a,        CUDA_R_64F, lda,      b,
                   CUDA_R_64F, ldb,  c, CUDA_R_64F, ldc, stride_a, stride_b,   stride_c, batches};
  return gemm<double>(h, o.product(), alpha, beta);
}

Status cublasHgemmStridedBatched(Handle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                 const void* a, int lda, long long stride_a, const void* b, int ldb,
                                 long long stride_b, const void* beta, void* c, int ldc, long long stride_c,
                                 int batches) {
  const Operands o{op_a,       op_b, m, n,          k,   a,        CUDA_R_16F, lda,      b,
                   CUDA_R_16F, ldb,  c, CUDA_R_16F, ldc, stride_a, stride_b,   stride_c, batches};
  return gemm<float, Float16>(h, o.product(), alpha, beta);
}

Status cublasGemmStridedBatchedEx(Handle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                  const void* a, cudaDataType a_type, int lda, long long stride_a,
                                  const void* b, cudaDataType b_type, int ldb, long long stride_b,
                                  const void* beta, void* c, cudaDataType c_type, int ldc, long long stride_c,
                                  int batches, int compute, int) {
  const Operands o{op_a,   op_b, m, n,      k,   a,        a_type,   lda,      b,
                   b_type, ldb,  c, c_type, ldc, stride_a, stride_b, stride_c, batches};
  return gemm_by_type(h, o.product(), alpha, beta, compute);
}

Status cublasSgemmBatched(Handle* h, int op_a, int op_b, int m, int n, int k, const float* alpha,
                          const void* const* a, int lda, const void* const* b, int ldb, const float* beta,
                          void* const* c, int ldc, int batches) {
  const Operands o{op_a, op_b,    m,          n,   k,       nullptr,    CUDA_R_32F,
                   lda,  nullptr, CUDA_R_32F, ldb, nullptr, CUDA_R_32F, ldc};
  return gemm_batched<float>(h, o, alpha, a, b, beta, c, batches);
}

Status cublasDgemmBatched(Handle* h, int op_a, int op_b, int m, int n, int k, const double* alpha,
                          const void* const* a, int lda, const void* const* b, int ldb, const double* beta,
                          void* const* c, int ldc, int batches) {
  const Operands o{op_a, op_b,    m,          n,   k,       nullptr,    CUDA_R_64F,
                   lda,  nullptr, CUDA_R_64F, ldb, nullptr, CUDA_R_64F, ldc};
  return gemm_batched<double>(h, o, alpha, a, b, beta, c, batches);
}

}  // extern "C"
