// Reference, cases and work of the blank page: planes that become pixels.
#include "blank_page.h"

#include <utility>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"

namespace {

using ladder::Case;

Case of_size(std::int64_t pixels, std::int64_t channels, Case::Use use = Case::Use::check) {
  return {{{"pixels", pixels}, {"channels", channels}}, "", use};
}

class Interleave : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const auto& [pixels, channels] : {std::pair{0, 3},
                                           {1, 1},
                                           {1, 32},
                                           {31, 3},
                                           {33, 1},
                                           {33, 4},
                                           {127, 12},
                                           {129, 31},
                                           {255, 2},
                                           {257, 32},
                                           {1023, 5},
                                           {1025, 3},
                                           {4099, 7},
                                           {65'537, 1}})
      cases.push_back(of_size(pixels, channels));
    ladder::add_with_offsets(cases, of_size(1021, 5), {"out", "in"});
    if (device == ladder::DeviceKind::gpu) cases.push_back(of_size(1'000'003, 12));
    cases.push_back(of_size(device == ladder::DeviceKind::gpu ? 8'388'608 : 32'768, 12, Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["channels"] >= 1 && which["channels"] <= kMostChannels;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t pixels = problem.which()["pixels"], channels = problem.which()["channels"];
    random.uniform(problem.input<float>("in", {channels, pixels}), -1, 1);
    problem.output<float>("out", {pixels, channels});
  }

  void reference(ladder::Problem& problem) const override {
    const auto pixels = static_cast<std::size_t>(problem.which()["pixels"]);
    const auto channels = static_cast<std::size_t>(problem.which()["channels"]);
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", ladder::kSameBits);
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t p = 0; p < pixels; ++p) out[p * channels + c] = in[c * pixels + p];
  }

  ladder::Work work(const Case& which) const override {
    const double bytes = static_cast<double>(which["pixels"] * which["channels"]) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return interleave(arguments.get<float>("out"), arguments.get<float>("in"),
                      static_cast<int>(which["pixels"]), static_cast<int>(which["channels"]));
  }
};

}  // namespace

LADDER_LESSON(Interleave)
