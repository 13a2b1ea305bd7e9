// Reference, cases and timing of the blank page.
#include "blank_page.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/scratch.h"
#include "spring.h"

namespace {

using ladder::Buffer;
using ladder::Case;

class InPlace : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 2, 31, 33, 47, 65, 193, 257, 1023, 4099, 32'771})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    if (device == ladder::DeviceKind::gpu) cases.push_back({{{"n", 999'983}}, "", Case::Use::check});
    cases.push_back({{{"n", device == ladder::DeviceKind::gpu ? 1 << 24 : 2'000'003}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<float>("before", {n}, Buffer::Location::host), -1.0f, 1.0f);
    problem.output<float>("x", {n}, Buffer::Location::host);
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<float>("before");
    const auto out = problem.expect("x", {.absolute = 2e-5});  // see streams_and_overlap.cpp
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kSideBySide = 16;  // for the compiler to put into vectors
      for (std::int64_t first = begin; first < end; first += kSideBySide) {
        double x[kSideBySide] = {}, v[kSideBySide] = {};
        const std::int64_t count = std::min(kSideBySide, end - first);
        for (std::int64_t i = 0; i < count; ++i) x[i] = in[first + i];
        for (int step = 0; step < kSteps; ++step)
          for (std::int64_t i = 0; i < kSideBySide; ++i) {
            v[i] -= kTimeStep * (x[i] + x[i] * x[i] * x[i]);
            x[i] += kTimeStep * v[i];
          }
        std::copy_n(x, count, out.data() + first);
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = n * sizeof(float), .bytes_written = n * sizeof(float), .flops = 7.0 * kSteps * n};
  }

  ladder::TimingScope timing_scope() const override { return ladder::TimingScope::end_to_end; }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    job_ = {};
    job_.n = which["n"];
    job_.room_floats = job_.n / 4 + 48;
    cudaError_t error = ladder::allocate_scratch(&job_.room, "job.room", job_.room_floats);
    if (error != cudaSuccess) return error;
    room_ = job_.room;
    error = job_allocate(job_);
    if (error != cudaSuccess) return error;
    if (job_.n > 0 && job_.x == nullptr)
      throw ladder::Objection("job_allocate() left job.x null: the springs have no place yet");
    std::copy_n(arguments.get<float>("before"), job_.n, job_.x);
    return cudaSuccess;
  }

  cudaError_t launch(const Case&, const ladder::Arguments&) override {
    busy_ = -1;
    return job_run(job_);
  }

  void returned(const Case& which) override {
    if (which.use != Case::Use::check) return;
    for (int i = 0; i < 3; ++i)
      if (job_.streams[i] != nullptr && cudaStreamQuery(job_.streams[i]) == cudaErrorNotReady) busy_ = i;
  }

  cudaError_t finish(const Case& which, const ladder::Arguments& arguments) override {
    if (busy_ >= 0)
      throw ladder::Objection("job_run() returned while job.streams[" + std::to_string(busy_) +
                              "] still had work to do: the host would read job.x too early");
    std::copy_n(job_.x, which["n"], arguments.get<float>("x"));
    const cudaError_t error = job_free(job_);
    if (error != cudaSuccess) return error;
    const auto set = [](auto* handle) { return handle != nullptr; };
    if (set(job_.x) || std::ranges::any_of(job_.streams, set))
      throw ladder::Objection(
          "job_free() left job.x or a stream that is not null: the contract wants them null afterwards, so "
          "that nobody uses or frees what is gone");
    return cudaFree(room_);
  }

 private:
  Job job_;
  float* room_ = nullptr;  ///< whatever a rung writes into job_
  int busy_ = -1;          ///< a stream that had work to do when job_run() returned
};

}  // namespace

LADDER_LESSON(InPlace)
