// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "rgb_to_gray.h"

#include <vector>

#include "grader/harness/lesson.h"

namespace {

using ladder::Case;

Case picture(std::int64_t width, std::int64_t height, Case::Use use = Case::Use::check) {
  return {{{"width", width}, {"height", height}}, "", use};
}

class RgbToGray : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::Machine machine) const override {
    // 4 and 16 pixels are what a thread takes on the upper rungs: around their multiples, and wide, high,
    // prime.
    std::vector<Case> cases = {
        picture(0, 4),    picture(4, 0),    picture(1, 1),    picture(2, 1),     picture(1, 3),
        picture(4, 1),    picture(5, 1),    picture(3, 5),    picture(16, 1),    picture(17, 1),
        picture(31, 1),   picture(32, 1),   picture(11, 3),   picture(127, 3),   picture(128, 2),
        picture(3, 43),   picture(1023, 1), picture(1, 1024), picture(1025, 2),  picture(64, 65),
        picture(333, 77), picture(4099, 1), picture(1, 4099), picture(320, 240),
    };
    if (machine == ladder::Machine::gpu) {
      cases.push_back(picture(2048, 2048));
      cases.push_back(picture(999'983, 1));
      cases.push_back(picture(5, 99'991));
    }
    // 768 MiB read and 256 MiB written on a GPU, far more than its L2 cache holds.
    cases.push_back(machine == ladder::Machine::gpu ? picture(16'384, 16'384, Case::Use::time)
                                                    : picture(1024, 512, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t width = problem.which()["width"], height = problem.which()["height"];
    random.uniform(problem.input<std::uint8_t>("rgb", {height, width, 3}), 0, 255);
    problem.output<std::uint8_t>("gray", {height, width});
  }

  void reference(ladder::Problem& problem) const override {
    const auto rgb = problem.read<std::uint8_t>("rgb");
    const auto gray = problem.expect("gray", {});  // integers: nothing may differ
    for (std::size_t i = 0; i < gray.size(); ++i)
      gray[i] = gray_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
  }

  ladder::Work work(const Case& which) const override {
    const double pixels = static_cast<double>(which["width"]) * static_cast<double>(which["height"]);
    return {.bytes_read = 3 * pixels, .bytes_written = pixels, .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return rgb_to_gray(arguments.get<std::uint8_t>("gray"), arguments.get<std::uint8_t>("rgb"),
                       static_cast<int>(which["width"]), static_cast<int>(which["height"]));
  }
};

}  // namespace

LADDER_LESSON(RgbToGray)
