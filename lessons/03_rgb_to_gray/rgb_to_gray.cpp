// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "rgb_to_gray.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "ppm.h"

namespace {

using ladder::Case;

Case picture(std::int64_t width, std::int64_t height, Case::Use use = Case::Use::check) {
  return {{{"width", width}, {"height", height}}, "", use};
}

constexpr const char* kPhoto = "photo";  // the variant of the case that shows a picture

/// The file that LADDER_PICTURE names, or null: a student who wants to see what a rung makes of it.
const char* photo_name() { return std::getenv("LADDER_PICTURE"); }

bool has_extents_of(const Case& which, const Picture& photo) {
  return which["width"] == photo.width && which["height"] == photo.height;
}

class RgbToGray : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // 4 and 16 pixels are what a thread takes on the upper rungs: around their multiples, and wide, high,
    // prime.
    std::vector<Case> cases = {
        picture(0, 4),      picture(4, 0),    picture(1, 1),    picture(2, 1),
        picture(1, 3),      picture(4, 1),    picture(5, 1),    picture(3, 5),
        picture(16, 1),     picture(17, 1),   picture(31, 1),   picture(32, 1),
        picture(11, 3),     picture(127, 3),  picture(128, 2),  picture(3, 43),
        picture(1023, 1),   picture(1, 1024), picture(1025, 2), picture(64, 65),
        picture(333, 77),   picture(4099, 1), picture(1, 4099), picture(320, 240),
        picture(1, 65'536),  // more rows than a grid has blocks in y
    };
    if (photo_name() != nullptr) {  // first, so that the picture is there even if the rung is wrong
      const Picture photo = read_ppm(photo_name());
      cases.insert(cases.begin(), picture(photo.width, photo.height));
      cases.front().variant = kPhoto;
    }
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(picture(2048, 2048));
      cases.push_back(picture(999'983, 1));
      cases.push_back(picture(5, 99'991));
    }
    // 768 MiB read and 256 MiB written on a GPU, far more than its L2 cache holds.
    if (device == ladder::DeviceKind::gpu) cases.push_back(picture(16'384, 16'384, Case::Use::time));
    cases.push_back(picture(2048, 2048, Case::Use::time));
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t width = problem.which()["width"], height = problem.which()["height"];
    const auto rgb = problem.input<std::uint8_t>("rgb", {height, width, 3});
    random.uniform(rgb, 0, 255);
    if (problem.which().variant == kPhoto) {
      const Picture photo = read_ppm(photo_name());
      if (has_extents_of(problem.which(), photo))
        std::copy(photo.bytes.begin(), photo.bytes.end(), rgb.begin());
    }
    problem.output<std::uint8_t>("gray", {height, width});
  }

  void reference(ladder::Problem& problem) const override {
    const auto rgb = problem.read<std::uint8_t>("rgb");
    const auto gray = problem.expect("gray", {});  // integers: nothing may differ
    for (std::size_t i = 0; i < gray.size(); ++i)
      gray[i] = gray_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
  }

  std::vector<Case> giant_cases() const override { return {picture(40'009, 53'003)}; }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t width = problem.which()["width"], height = problem.which()["height"];
    problem.input<std::uint8_t>("rgb", {height, width, 3});
    problem.output<std::uint8_t>("gray", {height, width});
  }

  double element(const Case&, std::string_view, std::int64_t i, const Input& in) const override {
    const auto byte = [&](int colour) { return static_cast<unsigned>(in("rgb", 3 * i + colour)); };
    return gray_of(byte(0), byte(1), byte(2));
  }

  ladder::Work work(const Case& which) const override {
    const double pixels = static_cast<double>(which["width"]) * static_cast<double>(which["height"]);
    return {.bytes_read = 3 * pixels, .bytes_written = pixels, .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return rgb_to_gray(arguments.get<std::uint8_t>("gray"), arguments.get<std::uint8_t>("rgb"),
                       static_cast<int>(which["width"]), static_cast<int>(which["height"]));
  }

  /// Writes the gray picture beside the coloured one, whether it is right or not.
  cudaError_t finish(const Case& which, const ladder::Arguments& arguments) override {
    if (which.variant != kPhoto || photo_name() == nullptr) return cudaSuccess;
    Picture gray = read_ppm(photo_name());
    if (!has_extents_of(which, gray)) return cudaSuccess;  // a smaller case that fails, too
    gray.bytes.resize(gray.bytes.size() / 3);
    const cudaError_t error = cudaMemcpy(gray.bytes.data(), arguments.get<std::uint8_t>("gray"),
                                         gray.bytes.size(), cudaMemcpyDeviceToHost);
    if (error == cudaSuccess) write_picture(std::string(photo_name()) + ".gray.pgm", gray);
    return error;
  }
};

}  // namespace

LADDER_LESSON(RgbToGray)
