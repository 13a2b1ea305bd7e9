// Vectors, and matrices times vectors.
#include <cmath>
#include <utility>

#include "simulator/blas/blas.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/stream/deferred_work.h"

namespace sim::cudart::blas {
namespace {

/// A strided vector, checked against the allocation that it lies in.
template <class T>
class Vector {
 public:
  Vector(const T* start, int n, int step, const char* role) : n_(n), step_(step) {
    if (n <= 0) return;
    const auto span = 1 + static_cast<std::size_t>(n - 1) * static_cast<std::size_t>(std::abs(step));
    first_ = reinterpret_cast<T*>(bytes_of(start, span * sizeof(T), "cuBLAS", role));
    if (step < 0) first_ += span - 1;  // a negative step walks from the far end
  }
  T& operator[](int i) const { return first_[static_cast<std::ptrdiff_t>(i) * step_]; }
  int size() const { return n_; }

 private:
  T* first_ = nullptr;
  int n_, step_;
};

/// Submits work on vectors, and its time: they are read or written once.
template <class Work>
void give(const Handle& handle, double bytes, Work&& work) {
  submit(stream_of(handle.stream), [=](CUstream_st& on) {
    note_written_somewhere();
    work();
    charge(on, 0, bytes);
  });
}

/// A result that goes to the host makes the host wait; one on the device does not.
template <class T, class R, class Work>
Status reduce(Handle* handle, int n, R* result, Work&& work) {
  return call(handle, [&] {
    CUstream_st& stream = stream_of(handle->stream);
    forbid_capture(stream);
    wait_for_deferred(stream);
    require(result != nullptr);
    *reinterpret_cast<R*>(bytes_of(result, sizeof(R), "cuBLAS", "result")) = work();
    charge(stream, 0, double(n) * sizeof(T));
    if (!handle->scalars_on_device) device().host_waits_until(stream.ready);
  });
}

template <class T>
Status axpy(Handle* h, int n, const T* alpha, const T* x, int step_x, T* y, int step_y) {
  return call(h, [&] {
    const Scalar<T> given(*h, alpha);
    give(*h, 3.0 * n * sizeof(T), [=] {
      const T factor = given();
      const Vector<T> from(x, n, step_x, "x"), to(y, n, step_y, "y");
      for (int i = 0; i < n; ++i) to[i] += factor * from[i];
    });
  });
}

template <class T>
Status scale(Handle* h, int n, const T* alpha, T* x, int step) {
  return call(h, [&] {
    const Scalar<T> given(*h, alpha);
    give(*h, 2.0 * n * sizeof(T), [=] {
      const T factor = given();
      const Vector<T> all(x, n, step, "x");
      for (int i = 0; i < n; ++i) all[i] *= factor;
    });
  });
}

template <class T>
Status copy_vector(Handle* h, int n, const T* x, int step_x, T* y, int step_y) {
  return call(h, [&] {
    give(*h, 2.0 * n * sizeof(T), [=] {
      const Vector<T> from(x, n, step_x, "x"), to(y, n, step_y, "y");
      for (int i = 0; i < n; ++i) to[i] = from[i];
    });
  });
}

template <class T>
Status swap_vectors(Handle* h, int n, T* x, int step_x, T* y, int step_y) {
  return call(h, [&] {
    give(*h, 4.0 * n * sizeof(T), [=] {
      const Vector<T> one(x, n, step_x, "x"), other(y, n, step_y, "y");
      for (int i = 0; i < n; ++i) std::swap(one[i], other[i]);
    });
  });
}

template <class T>
Status dot(Handle* h, int n, const T* x, int step_x, const T* y, int step_y, T* result) {
  return reduce<T>(h, n, result, [&] {
    const Vector<T> one(x, n, step_x, "x"), other(y, n, step_y, "y");
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += double(one[i]) * double(other[i]);
    return static_cast<T>(sum);
  });
}

template <class T>
Status norm(Handle* h, int n, const T* x, int step, T* result) {
  return reduce<T>(h, n, result, [&] {
    const Vector<T> all(x, n, step, "x");
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += double(all[i]) * double(all[i]);
    return static_cast<T>(std::sqrt(sum));
  });
}

template <class T>
Status sum_of_sizes(Handle* h, int n, const T* x, int step, T* result) {
  return reduce<T>(h, n, result, [&] {
    const Vector<T> all(x, n, step, "x");
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += std::fabs(double(all[i]));
    return static_cast<T>(sum);
  });
}

/// The first of the largest (or smallest) elements by size, counted from 1.
template <class T>
Status extreme(Handle* h, int n, const T* x, int step, int* result, bool largest) {
  return reduce<T>(h, n, result, [&] {
    const Vector<T> all(x, n, step, "x");
    int best = 0;
    for (int i = 1; i < n; ++i) {
      const T here = std::fabs(all[i]), there = std::fabs(all[best]);
      if (largest ? here > there : here < there) best = i;
    }
    return n > 0 ? best + 1 : 0;
  });
}

/// y = alpha op(A) x + beta y; op 0: A as it is, else transposed.
template <class T>
Status gemv(Handle* h, int op, int m, int n, const T* alpha, const T* a, int lda, const T* x, int step_x,
            const T* beta, T* y, int step_y) {
  return call(h, [&] {
    require(m >= 0 && n >= 0 && lda >= m);
    if (m == 0 || n == 0) return;
    const Scalar<T> given_alpha(*h, alpha), given_beta(*h, beta);
    give(*h, double(m) * n * sizeof(T), [=] {
      const auto leading = static_cast<std::size_t>(lda);
      const auto* matrix = reinterpret_cast<const T*>(
          bytes_of(a, ((static_cast<std::size_t>(n) - 1) * leading + static_cast<std::size_t>(m)) * sizeof(T),
                   "cublas gemv", "matrix A"));
      const int in = op == 0 ? n : m, out = op == 0 ? m : n;
      const Vector<T> from(x, in, step_x, "x"), to(y, out, step_y, "y");
      const T factor = given_alpha(), keep = given_beta();
      for (int r = 0; r < out; ++r) {
        T sum{};
        for (int c = 0; c < in; ++c) {
          const auto row = static_cast<std::size_t>(op == 0 ? r : c),
                     column = static_cast<std::size_t>(op == 0 ? c : r);
          sum += matrix[column * leading + row] * from[c];
        }
        to[r] = keep == T{} ? factor * sum : factor * sum + keep * to[r];
      }
    });
  });
}

}  // namespace
}  // namespace sim::cudart::blas

using namespace sim::cudart::blas;

/// The functions of one precision: @p P the letter, @p T the type.
#define LADDER_BLAS_VECTORS(P, T)                                                                         \
  Status cublas##P##axpy_v2(Handle* h, int n, const T* alpha, const T* x, int step_x, T* y, int step_y) { \
    return axpy<T>(h, n, alpha, x, step_x, y, step_y);                                                    \
  }                                                                                                       \
  Status cublas##P##scal_v2(Handle* h, int n, const T* alpha, T* x, int step) {                           \
    return scale<T>(h, n, alpha, x, step);                                                                \
  }                                                                                                       \
  Status cublas##P##copy_v2(Handle* h, int n, const T* x, int step_x, T* y, int step_y) {                 \
    return copy_vector<T>(h, n, x, step_x, y, step_y);                                                    \
  }                                                                                                       \
  Status cublas##P##swap_v2(Handle* h, int n, T* x, int step_x, T* y, int step_y) {                       \
    return swap_vectors<T>(h, n, x, step_x, y, step_y);                                                   \
  }                                                                                                       \
  Status cublas##P##dot_v2(Handle* h, int n, const T* x, int step_x, const T* y, int step_y, T* result) { \
    return dot<T>(h, n, x, step_x, y, step_y, result);                                                    \
  }                                                                                                       \
  Status cublas##P##nrm2_v2(Handle* h, int n, const T* x, int step, T* result) {                          \
    return norm<T>(h, n, x, step, result);                                                                \
  }                                                                                                       \
  Status cublas##P##asum_v2(Handle* h, int n, const T* x, int step, T* result) {                          \
    return sum_of_sizes<T>(h, n, x, step, result);                                                        \
  }                                                                                                       \
  Status cublas##P##gemv_v2(Handle* h, int op, int m, int n, const T* alpha, const T* a, int lda,         \
                            const T* x, int step_x, const T* beta, T* y, int step_y) {                    \
    return gemv<T>(h, op, m, n, alpha, a, lda, x, step_x, beta, y, step_y);                               \
  }

extern "C" {

LADDER_BLAS_VECTORS(S, float)
LADDER_BLAS_VECTORS(D, double)

Status cublasIsamax_v2(Handle* h, int n, const float* x, int step, int* result) {
  return extreme<float>(h, n, x, step, result, true);
}
Status cublasIdamax_v2(Handle* h, int n, const double* x, int step, int* result) {
  return extreme<double>(h, n, x, step, result, true);
}
Status cublasIsamin_v2(Handle* h, int n, const float* x, int step, int* result) {
  return extreme<float>(h, n, x, step, result, false);
}
Status cublasIdamin_v2(Handle* h, int n, const double* x, int step, int* result) {
  return extreme<double>(h, n, x, step, result, false);
}

}  // extern "C"

#undef LADDER_BLAS_VECTORS
