// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "memory_coalescing.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/special.h"

namespace {

using ladder::Case;

constexpr std::array<const char*, kFields> kNames = {"x", "y", "z", "vx", "vy", "vz", "mass", "temperature"};

constexpr const char* kSpecial = "vz, special values";  // a variant: whatever a float can be

int field_of(const Case& which) {
  const std::string name = which.variant.substr(0, which.variant.find(','));
  return static_cast<int>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

class MemoryCoalescing : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t n) {
      cases.push_back({{{"n", n}}, kNames[(cases.size() + 7) % kFields], Case::Use::check});
    };
    for (const std::int64_t n : {0,   1,   2,   3,    4,    5,    31,   32,   33,   127,  128,
                                 129, 511, 513, 1023, 1024, 1025, 4095, 4096, 4097, 8193, 99'991})
      add(n);
    for (const std::int64_t n : {5, 1025}) cases.push_back({{{"n", n}}, kSpecial, Case::Use::check});
    ladder::add_with_offsets(cases, {{{"n", 1024}}, "mass", Case::Use::check}, {"records"});
    if (device == ladder::DeviceKind::gpu)
      for (const std::int64_t n : {999'983, 4'194'303}) add(n);
    // Not a multiple of 32: where arrays follow one another without a gap, only the first one starts where a
    // line begins. On the simulator, which looks at ideas, so far from one that neither one float more than n
    // nor the next multiple of four is one.
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 33'554'431 : 2'097'153;
    cases.push_back({{{"n", large}}, "temperature", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const auto records = problem.input<float>("records", {n, kFields});
    random.uniform(records, -1000.0f, 1000.0f);
    if (problem.which().variant == kSpecial) ladder::scatter_special(records, random, true);
    problem.output<float>("out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const std::size_t field = field_of(problem.which());
    const auto records = problem.read<float>("records");
    const auto out = problem.expect("out", ladder::kSameBits);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = records[i * kFields + field];
  }

  /// Its fields together, and the seven before the last one, are more than 2^31 floats.
  std::vector<Case> giant_cases() const override {
    return {{{{"n", 310'000'007}}, "temperature", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t n = problem.which()["n"];
    problem.input<float>("records", {n, kFields});
    problem.output<float>("out", {n});
  }

  bool compares() const override { return false; }  // of the particles a sample is stored

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    return in("records", i * kFields + field_of(which));
  }

  ladder::Work work(const Case& which) const override {
    const double bytes = static_cast<double>(which["n"]) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = 0};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    const cudaError_t error = particles_store(particles_, arguments.get<float>("records"), which["n"]);
    if (error != cudaSuccess) return error;
    if (which["n"] > 0 && particles_.data == nullptr)
      throw ladder::Objection("particles_store() left particles.data null: the particles have no place yet");
    return cudaSuccess;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return snapshot(arguments.get<float>("out"), particles_, static_cast<Field>(field_of(which)));
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override {
    const cudaError_t error = cudaFree(particles_.data);
    particles_ = {};
    return error;
  }

 private:
  Particles particles_;
};

}  // namespace

LADDER_LESSON(MemoryCoalescing)
