// Reference, cases and timing of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <string>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/scratch.h"
#include "judge/devices.h"

namespace {

using ladder::Buffer;
using ladder::Case;

class SplitLayer : public ladder::Lesson {
 public:
  int devices(ladder::DeviceKind device) const override {
    return device == ladder::DeviceKind::gpu ? 2 : kMostRanks;
  }

  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t ranks, std::int64_t rows, std::int64_t cols, std::int64_t inner,
                         Case::Use use) {
      cases.push_back({{{"ranks", ranks}, {"rows", rows}, {"cols", cols}, {"inner", inner}}, "", use});
    };
    // Fewer rows than chunks, as many, one more; a last chunk that is short.
    for (const std::int64_t rows : {1, 2, 7, 8, 9, 33, 67}) add(2, rows, 35, 17, Case::Use::check);
    add(2, 130, 64, 5, Case::Use::check);
    if (device == ladder::DeviceKind::simulator) {
      add(3, 21, 33, 9, Case::Use::check);
      add(4, 40, 3, 33, Case::Use::check);
      add(2, 1024, 512, 64, Case::Use::time);
    } else {
      add(2, 1000, 513, 200, Case::Use::check);
      add(2, 8192, 8192, 256, Case::Use::time);
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["ranks"] >= 2 && which["ranks"] <= kMostRanks && which["rows"] >= 1 && which["cols"] >= 1 &&
           which["inner"] >= 1;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t ranks = which["ranks"], rows = which["rows"], cols = which["cols"],
                       inner = which["inner"];
    random.uniform(problem.input<float>("x", {ranks, rows, inner}, Buffer::Location::host), -1.0f, 1.0f);
    random.uniform(problem.input<float>("w", {ranks, inner, cols}, Buffer::Location::host), -1.0f, 1.0f);
    problem.output<float>("y", {ranks, rows, cols}, Buffer::Location::host);
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const std::int64_t ranks = which["ranks"], rows = which["rows"], cols = which["cols"],
                       inner = which["inner"];
    const auto x = problem.read<float>("x"), w = problem.read<float>("w");
    // A sum of n products below 1 has n roundings, each of half of its last bit: they grow with the root of
    // n, and 1e-6 for each of its steps leaves room.
    const auto y = problem.expect("y", {.absolute = 1e-6 * std::max<double>(8.0, double(ranks * inner) / 4)});
    ladder::parallel_for(rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        double* const sums = &y[row * cols];
        for (std::int64_t r = 0; r < ranks; ++r)
          for (std::int64_t k = 0; k < inner; ++k) {
            const double factor = x[(r * rows + row) * inner + k];
            const float* const line = &w[(r * inner + k) * cols];
            for (std::int64_t col = 0; col < cols; ++col) sums[col] += factor * line[col];
          }
        for (std::int64_t r = 1; r < ranks; ++r) std::copy_n(sums, cols, &y[(r * rows + row) * cols]);
      }
    });
  }

  ladder::Work work(const Case&) const override { return {}; }  // see two_gpus.cpp

  ladder::TimingScope timing_scope() const override { return ladder::TimingScope::end_to_end; }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    layer_ = {};
    layer_.ranks = static_cast<int>(which["ranks"]);
    layer_.rows = which["rows"], layer_.cols = which["cols"], layer_.inner = which["inner"];
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < layer_.ranks && error == cudaSuccess; ++r) error = allocate(r, arguments);
    if (error == cudaSuccess) error = cudaSetDevice(0);
    if (error == cudaSuccess) error = layer_prepare(layer_);
    return on_first_device(error);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments&) override {
    cudaError_t error = layer_run(layer_);
    if (which.use == Case::Use::check)
      for (int r = 0; r < layer_.ranks && error == cudaSuccess; ++r) error = overwrite_partial(r);
    for (int r = 0; r < layer_.ranks && error == cudaSuccess; ++r)
      error = cudaStreamSynchronize(layer_.stream[r]);
    return on_first_device(error);
  }

  cudaError_t finish(const Case&, const ladder::Arguments& arguments) override {
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < layer_.ranks && error == cudaSuccess; ++r) error = take(r, arguments);
    if (error == cudaSuccess) error = layer_release(layer_);
    for (int r = 0; r < layer_.ranks && error == cudaSuccess; ++r) error = free_arrays(r);
    if (on_first_device(error) == cudaSuccess && anything_left())
      throw ladder::Objection(
          "layer_release() left a pointer, stream or event in the layer that is not null: the contract wants "
          "them "
          "null afterwards, so that nobody uses or frees what is gone");
    return error;
  }

 private:
  std::int64_t of_x() const { return layer_.rows * layer_.inner; }
  std::int64_t of_w() const { return layer_.inner * layer_.cols; }
  std::int64_t of_y() const { return layer_.rows * layer_.cols; }

  cudaError_t allocate(int r, const ladder::Arguments& arguments) {
    cudaError_t error = cudaSetDevice(r);
    const auto get = [&](const char* name, std::int64_t elements, const float* from) {
      float* array = nullptr;
      const std::string here = std::string(name) + "[" + std::to_string(r) + "]";
      if (error == cudaSuccess) error = ladder::allocate_scratch(&array, here.c_str(), elements);
      if (error == cudaSuccess && from != nullptr)
        error = cudaMemcpy(array, from + r * elements, elements * sizeof(float), cudaMemcpyDefault);
      return array;
    };
    layer_.x[r] = get("x", of_x(), arguments.get<float>("x"));
    layer_.w[r] = get("w", of_w(), arguments.get<float>("w"));
    layer_.partial[r] = get("partial", of_y(), nullptr);
    layer_.y[r] = get("y", of_y(), arguments.get<float>("y"));
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&layer_.stream[r], cudaStreamNonBlocking);
    return error == cudaSuccess ? cudaDeviceSynchronize() : error;
  }

  /// As a caller's next product would: nobody may still read it.
  cudaError_t overwrite_partial(int r) {
    const cudaError_t error = cudaSetDevice(r);
    if (error != cudaSuccess) return error;
    return cudaMemsetAsync(layer_.partial[r], 0xff, of_y() * sizeof(float), layer_.stream[r]);
  }

  cudaError_t take(int r, const ladder::Arguments& arguments) {
    cudaError_t error = cudaSetDevice(r);
    const auto bring = [&](const char* name, const float* from, std::int64_t elements) {
      if (error == cudaSuccess)
        error = cudaMemcpy(arguments.get<float>(name) + r * elements, from, elements * sizeof(float),
                           cudaMemcpyDefault);
    };
    bring("x", layer_.x[r], of_x()), bring("w", layer_.w[r], of_w()), bring("y", layer_.y[r], of_y());
    return error;
  }

  cudaError_t free_arrays(int r) {
    cudaError_t error = cudaSetDevice(r);
    if (error == cudaSuccess) error = cudaStreamDestroy(layer_.stream[r]);
    for (const float* array : {layer_.x[r], layer_.w[r], static_cast<const float*>(layer_.partial[r]),
                               static_cast<const float*>(layer_.y[r])})
      if (error == cudaSuccess) error = cudaFree(const_cast<float*>(array));
    return error;
  }

  bool anything_left() const {
    const auto set = [](auto* handle) { return handle != nullptr; };
    return std::ranges::any_of(layer_.scratch, set) || std::ranges::any_of(layer_.side, set) ||
           std::ranges::any_of(layer_.done, set) ||
           std::ranges::any_of(layer_.made,
                               [&](const auto& of_rank) { return std::ranges::any_of(of_rank, set); });
  }

  Layer layer_;
};

}  // namespace

LADDER_LESSON(SplitLayer)
