// Sums of matrices, each as it is or transposed: cuBLAS's geam.
#include <optional>

#include "simulator/blas/blas.h"
#include "simulator/cudart/launch/check.h"

namespace sim::cudart::blas {
namespace {

/// A matrix of columns, one after the other, whose elements are read as op(A)'s.
template <class T>
class Read {
 public:
  Read(const T* start, int rows, int columns, int leading, bool transposed, const char* role)
      : leading_(transposed ? 1 : leading), step_(transposed ? leading : 1) {
    const std::size_t across = std::size_t(transposed ? rows : columns) - 1,
                      down = transposed ? columns : rows;
    first_ = reinterpret_cast<const T*>(
        bytes_of(start, (across * std::size_t(leading) + down) * sizeof(T), "cublas geam", role));
  }
  T operator()(int row, int column) const {
    return first_[std::ptrdiff_t(row) * step_ + std::ptrdiff_t(column) * leading_];
  }

 private:
  const T* first_;
  std::ptrdiff_t leading_, step_;
};

/// C = alpha op(A) + beta op(B), of m rows and n columns. A matrix whose factor is 0 is not read.
template <class T>
Status geam(Handle* handle, int op_a, int op_b, int m, int n, const T* alpha, const T* a, int lda,
            const T* beta, const T* b, int ldb, T* c, int ldc) {
  return call(handle, [&] {
    require(m >= 0 && n >= 0 && op_a >= 0 && op_a <= 2 && op_b >= 0 && op_b <= 2);
    require(lda >= (op_a ? n : m) && ldb >= (op_b ? n : m) && ldc >= m);
    // In place only where element for element.
    require((c != a || (op_a == 0 && lda == ldc)) && (c != b || (op_b == 0 && ldb == ldc)));
    if (m == 0 || n == 0) return;
    const Scalar<T> given_alpha(*handle, alpha), given_beta(*handle, beta);
    submit(stream_of(handle->stream), [=](CUstream_st& on) {
      note_written_somewhere();
      const T of_a = given_alpha(), of_b = given_beta();
      const std::size_t extent = (std::size_t(n) - 1) * std::size_t(ldc) + std::size_t(m);
      T* to = reinterpret_cast<T*>(bytes_of(c, extent * sizeof(T), "cublas geam", "matrix C"));
      std::optional<Read<T>> from_a, from_b;
      if (of_a != T{}) from_a.emplace(a, m, n, lda, op_a != 0, "matrix A");
      if (of_b != T{}) from_b.emplace(b, m, n, ldb, op_b != 0, "matrix B");
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
          to[std::ptrdiff_t(j) * ldc + i] =
              (from_a ? of_a * (*from_a)(i, j) : T{}) + (from_b ? of_b * (*from_b)(i, j) : T{});
      charge(on, 2.0 * m * n, 3.0 * m * n * sizeof(T));
    });
  });
}

}  // namespace
}  // namespace sim::cudart::blas

using namespace sim::cudart::blas;

extern "C" {

Status cublasSgeam(Handle* h, int op_a, int op_b, int m, int n, const float* alpha, const float* a, int lda,
                   const float* beta, const float* b, int ldb, float* c, int ldc) {
  return geam(h, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}

Status cublasDgeam(Handle* h, int op_a, int op_b, int m, int n, const double* alpha, const double* a, int lda,
                   const double* beta, const double* b, int ldb, double* c, int ldc) {
  return geam(h, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}

}  // extern "C"
