// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "occupancy.h"

#include <cmath>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

/// A variant: listeners in the corners of their room, the origin among them, where somebody may have put a
/// loudspeaker that is not there.
constexpr const char* kCorners = "in the corners";

class Occupancy : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t n, std::int64_t m, Case::Use use) {
      cases.push_back({{{"n", n}, {"m", m}}, "", use});
    };
    // Around a warp, a block of any size, and what fits into a tile; a tile is 32 to 3072 loudspeakers.
    for (const auto& [n, m] :
         {std::pair{0, 5}, {1, 0},    {1, 1},    {2, 3},     {3, 31},     {31, 32},  {32, 33},
          {33, 4},         {127, 63}, {128, 65}, {129, 127}, {257, 129},  {1023, 7}, {1025, 3},
          {2049, 2},       {5, 1025}, {3, 3073}, {1999, 17}, {65'537, 1},  // more than a grid has blocks in y
          {400'009, 1}})  // and than any GPU has threads at a time
      add(n, m, Case::Use::check);
    // As many loudspeakers as fill no tile, and no group of four or of two.
    for (const auto& [n, m] : {std::pair{1, 1}, {33, 7}, {129, 35}})
      cases.push_back({{{"n", n}, {"m", m}}, kCorners, Case::Use::check});
    // A float2, which starts at a multiple of 8 bytes but need not at one of 16.
    cases.push_back(ladder::offset_by({{{"n", 256}, {"m", 4}}, "", Case::Use::check}, "out", 2));
    if (device == ladder::DeviceKind::gpu) {
      add(999'983, 37, Case::Use::check);
      add(524'288, 1024, Case::Use::time);
      add(16'384, 8192, Case::Use::time);  // hardly a warp for each scheduler
    } else {
      add(270'336, 24, Case::Use::time);  // 2048 for each multiprocessor of an H200
    }
    return cases;
  }

  bool valid(const Case& which) const override { return ladder::offset_of(which, "out") % 2 == 0; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"], m = problem.which()["m"];
    const auto listeners = problem.input<float>("listeners", {n, 4});
    random.uniform(listeners, 0.0f, 4.0f);
    if (problem.which().variant == kCorners)
      for (std::size_t i = 0; i < listeners.size(); ++i)  // (0, 0, 0), (4, 0, 0), (0, 4, 0) and so on
        listeners[i] = ((i / 4) >> (i % 4)) % 2 != 0 ? 4.0f : 0.0f;
    const auto speakers = problem.input<float>("speakers", {m, 4});
    random.uniform(speakers, 0.0f, 4.0f);
    for (std::size_t j = 0; j < speakers.size(); j += 4) {
      speakers[j] = 5 + 0.75f * speakers[j];
      speakers[j + 3] = 0.5f * speakers[j + 3] - 1;
    }
    problem.output<float>("out", {n, 2});
  }

  void reference(ladder::Problem& problem) const override {
    const auto listeners = problem.read<float>("listeners"), speakers = problem.read<float>("speakers");
    const double m = static_cast<double>(problem.which()["m"]);
    // The phase is up to 29 turns. Its float, made of a root and a product, may be off by 3.5e-6 turns, which
    // is 2^-15.5 radians; so far out the amplitude is below 2^-4. Near by, at one metre, 3 turns are off by
    // 2^-18 radians, and the amplitude is below 1. To this adds what is rounded in the sum. A fast intrinsic
    // that is off by 2^-21, as theirs are documented to be on arguments this small, fits in as well; a kernel
    // that computes in half precision, or leaves out a loudspeaker, does not.
    const auto out = problem.expect("out", {.absolute = 0x1p-17 * std::max(m, 1.0)});
    const auto listener_count = static_cast<std::int64_t>(out.size() / 2);
    ladder::parallel_for(listener_count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        for (std::size_t j = 0; j < speakers.size(); j += 4) {
          double squares = 0;
          for (int axis = 0; axis < 3; ++axis) {
            const double along = double(speakers[j + axis]) - double(listeners[4 * i + axis]);
            squares += along * along;
          }
          const double r = std::sqrt(squares);
          const double amplitude = speakers[j + 3] * std::exp(-double(kDamping) * r) / r;
          const double phase = 2 * M_PI * double(kTurns) * r;
          out[2 * i] += amplitude * std::cos(phase);
          out[2 * i + 1] += amplitude * std::sin(phase);
        }
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), m = static_cast<double>(which["m"]);
    return {.bytes_read = 16 * (n + m), .bytes_written = 8 * n, .flops = 24 * n * m};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return field(arguments.get<float2>("out"), arguments.get<float4>("listeners"),
                 arguments.get<float4>("speakers"), which["n"], static_cast<int>(which["m"]));
  }
};

}  // namespace

LADDER_LESSON(Occupancy)
