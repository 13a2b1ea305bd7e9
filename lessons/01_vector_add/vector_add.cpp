// Reference, cases and timing of the lesson; the rungs are the .cu files beside this one.
#include "vector_add.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "grader/lesson/lesson.h"
#include "grader/lesson/special.h"

namespace {

using ladder::Buffer;
using ladder::Case;

constexpr const char* kSpecial = "special values";    // a variant: whatever a float can be
constexpr const char* kThrice = "added three times";  // a variant: what a call keeps or leaves shows

class VectorAdd : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 2, 3, 4, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 99'991})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    for (const std::int64_t n : {33, 1025}) cases.push_back({{{"n", n}}, kSpecial, Case::Use::check});
    for (const std::int64_t n : {0, 1025}) cases.push_back({{{"n", n}}, kThrice, Case::Use::check});
    cases.push_back({{{"n", 3'500'003}}, "", Case::Use::check});  // four chunks of rung 5
    if (device == ladder::DeviceKind::gpu) cases.push_back({{{"n", 999'983}}, "", Case::Use::check});
    // Large enough that copies, not launches, make the time: three vectors of 256 MiB on a GPU.
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 67'108'864 : 4'194'304;
    cases.push_back({{{"n", large}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    for (const char* name : {"a", "b"}) {
      const auto in = problem.input<float>(name, {n}, Buffer::Location::host);
      random.uniform(in, -1000.0f, 1000.0f);
      if (problem.which().variant == kSpecial) ladder::scatter_special(in, random, true);
    }
    problem.output<float>("out", {n}, Buffer::Location::host);
  }

  void reference(ladder::Problem& problem) const override {
    const auto a = problem.read<float>("a");
    const auto b = problem.read<float>("b");
    // One float addition is off by half a unit in the last place, 2^-24 of the sum; allow for twice that.
    const auto out = problem.expect("out", {.absolute = 0, .relative = 0x1p-23});
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double sum = static_cast<double>(a[i]) + b[i];
      const bool overflows = std::abs(sum) > std::numeric_limits<float>::max();  // then as a float's does
      out[i] = overflows ? static_cast<double>(a[i] + b[i]) : sum;
    }
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = 2 * n * sizeof(float), .bytes_written = n * sizeof(float), .flops = n};
  }

  ladder::TimingScope timing_scope() const override { return ladder::TimingScope::end_to_end; }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    const std::int64_t n = which["n"];
    const cudaError_t error = vector_add_allocate(vectors_, n);
    if (error != cudaSuccess) return error;
    if (n > 0 && !(vectors_.a && vectors_.b && vectors_.out))
      throw ladder::Objection(
          "vector_add_allocate() left v.a, v.b or v.out null: the vectors have no place yet");
    std::copy_n(arguments.get<float>("a"), n, vectors_.a);
    std::copy_n(arguments.get<float>("b"), n, vectors_.b);
    std::copy_n(arguments.get<float>("out"), n, vectors_.out);  // the harness's poison
    return cudaSuccess;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    for (int more = which.variant == kThrice ? 2 : 0; more > 0; --more) {
      if (const cudaError_t error = vector_add(vectors_); error != cudaSuccess) return error;
      std::copy_n(arguments.get<float>("out"), which["n"], vectors_.out);  // poison: nothing is added yet
    }
    if (const cudaError_t error = vector_add(vectors_); error != cudaSuccess) return error;
    // Managed pages may still be on the GPU: the clock runs until the host has had one float of each.
    constexpr std::int64_t kFloatsPerPage = 4096 / sizeof(float);
    const volatile float* out = vectors_.out;
    for (std::int64_t i = 0; i < which["n"]; i += kFloatsPerPage) static_cast<void>(out[i]);
    return cudaSuccess;
  }

  cudaError_t finish(const Case& which, const ladder::Arguments& arguments) override {
    const std::int64_t n = which["n"];
    std::copy_n(vectors_.out, n, arguments.get<float>("out"));
    std::copy_n(vectors_.a, n, arguments.get<float>("a"));  // so that the harness sees a changed input
    std::copy_n(vectors_.b, n, arguments.get<float>("b"));
    const cudaError_t error = vector_add_free(vectors_);
    const Vectors& v = vectors_;
    for (const void* left : std::initializer_list<const void*>{v.a, v.b, v.out, v.d_a, v.d_b, v.d_out})
      if (error == cudaSuccess && left != nullptr) throw ladder::Objection(kLeft);
    for (const cudaStream_t stream : v.streams)
      if (error == cudaSuccess && stream != nullptr) throw ladder::Objection(kLeft);
    return error;
  }

 private:
  static constexpr const char* kLeft =
      "vector_add_free() left a pointer in v that is not null: the contract wants them null afterwards, so "
      "that nobody "
      "uses or frees what is gone";
  Vectors vectors_;
};

}  // namespace

LADDER_LESSON(VectorAdd)
