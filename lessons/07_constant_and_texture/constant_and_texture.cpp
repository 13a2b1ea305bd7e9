// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "constant_and_texture.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"

// A rung defines one of the three, and make_picture with the last; the addresses of the others are null.
cudaError_t tone(float* out, const float* in, const std::uint8_t* zone, const float* curves, std::int64_t n)
    __attribute__((weak));
cudaError_t rotate(float* out, const float* in, int width, int height, float cosine, float sine)
    __attribute__((weak));
cudaError_t make_picture(Picture& picture, const float* in, int width, int height) __attribute__((weak));
cudaError_t rotate(float* out, cudaTextureObject_t picture, int width, int height, float cosine, float sine)
    __attribute__((weak));

namespace {

using ladder::Case;

constexpr const char *kOneZone = "tone, one zone a warp", *kScattered = "tone, scattered zones";
constexpr const char *kExact = "rotation, exact", *kRotation = "rotation";

bool is_tone(const Case& which) { return which.variant.starts_with("tone"); }
float cosine_of(const Case& which) { return static_cast<float>(std::cos(which["degrees"] * M_PI / 180)); }
float sine_of(const Case& which) { return static_cast<float>(std::sin(which["degrees"] * M_PI / 180)); }

/// How far off a rotated picture may be, whose values are from 0 to 1. A place is made of a few roundings of
/// numbers up to twice the picture's extent, and moves the result by no more than itself. The texture units
/// round each fraction to 1/256, so each is off by 1/512, and so is the product of two: 2/256 in all, with
/// some room. Mixing the wrong texels, or none, is off by tenths.
double rotation_tolerance(const Case& which) {
  const double extent = static_cast<double>(std::max(which["width"], which["height"]));
  return 8 * extent * 0x1p-24 + (which.variant == kExact ? 0x1p-21 : 2.0 / 256);
}

class ConstantAndTexture : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    const bool gpu = device == ladder::DeviceKind::gpu;
    std::vector<Case> cases;
    const auto add_tone = [&](const char* variant, std::int64_t n, Case::Use use) {
      cases.push_back({{{"n", n}}, variant, use});
    };
    const auto add_rotation = [&](const char* variant, std::int64_t width, std::int64_t height, int degrees,
                                  Case::Use use) {
      cases.push_back({{{"width", width}, {"height", height}, {"degrees", degrees}}, variant, use});
    };
    for (const char* variant : {kOneZone, kScattered}) {
      for (const std::int64_t n : {0, 1, 2, 31, 33, 127, 255, 256, 257, 1025, 10'007})
        add_tone(variant, n, Case::Use::check);
      if (gpu) add_tone(variant, 999'983, Case::Use::check);
      ladder::add_with_offsets(cases, {{{"n", 1024}}, variant, Case::Use::check}, {"out", "in", "zone"});
    }
    for (const char* variant : {kExact, kRotation}) {
      add_rotation(variant, 1, 1, 45, Case::Use::check);
      add_rotation(variant, 1, 7, 30, Case::Use::check);
      add_rotation(variant, 7, 1, 200, Case::Use::check);
      add_rotation(variant, 2, 2, 0, Case::Use::check);
      add_rotation(variant, 31, 9, 90, Case::Use::check);
      add_rotation(variant, 12, 19, 180, Case::Use::check);
      add_rotation(variant, 33, 17, 100, Case::Use::check);
      add_rotation(variant, 129, 65, 3, Case::Use::check);
      add_rotation(variant, 61, 127, 8, Case::Use::check);
      if (gpu) add_rotation(variant, 1999, 1023, 77, Case::Use::check);
      ladder::add_with_offsets(
          cases, {{{"width", 64}, {"height", 8}, {"degrees", 20}}, variant, Case::Use::check}, {"out", "in"});
    }
    const std::int64_t n = gpu ? 134'217'728 : 2'097'152, side = gpu ? 8192 : 1024;
    add_tone(kOneZone, n, Case::Use::time);
    add_rotation(kRotation, side, side, 30, Case::Use::time);
    add_tone(kScattered, n, Case::Use::time);
    add_rotation(kRotation, side, side, 90, Case::Use::time);
    return cases;
  }

  bool valid(const Case& which) const override {
    return is_tone(which) || (which["width"] > 0 && which["height"] > 0);
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const bool filtered = rung.find("filtered") != std::string_view::npos;
    const bool rotates = filtered || rung.find("bilinear") != std::string_view::npos ||
                         rung.find("texture") != std::string_view::npos;
    if (is_tone(which)) return !rotates;
    return rotates && !(filtered && which.variant == kExact);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    if (!is_tone(which)) {
      random.uniform(problem.input<float>("in", {which["height"], which["width"]}), 0.0f, 1.0f);
      problem.output<float>("out", {which["height"], which["width"]});
      problem.scalar("cosine", static_cast<double>(cosine_of(which)));
      problem.scalar("sine", static_cast<double>(sine_of(which)));
      return;
    }
    random.uniform(problem.input<float>("in", {which["n"]}), 0.0f, 1.0f);
    const auto zone = problem.input<std::uint8_t>("zone", {which["n"]});
    random.uniform(zone, 0, kCurves - 1);
    if (which.variant == kOneZone)  // the first of each 1024 pixels speaks for all
      for (std::size_t i = 0; i < zone.size(); ++i) zone[i] = zone[i / 1024 * 1024];
    random.uniform(problem.input<float>("curves", {kCurves, kTerms}), -1.0f, 1.0f);
    problem.output<float>("out", {which["n"]});
  }

  void reference(ladder::Problem& problem) const override {
    if (is_tone(problem.which()))
      reference_tone(problem);
    else
      reference_rotation(problem);
  }

  ladder::Work work(const Case& which) const override {
    if (is_tone(which)) {
      const double n = static_cast<double>(which["n"]);
      return {.bytes_read = 5 * n, .bytes_written = 4 * n, .flops = 14 * n};
    }
    const double pixels = static_cast<double>(which["width"]) * static_cast<double>(which["height"]);
    return {.bytes_read = 4 * pixels, .bytes_written = 4 * pixels, .flops = 16 * pixels};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    if (is_tone(which) || !make_picture) return cudaSuccess;
    picture_ = {};
    return make_picture(picture_, arguments.get<float>("in"), int(which["width"]), int(which["height"]));
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    float *const out = arguments.get<float>("out"), *const in = arguments.get<float>("in");
    if (is_tone(which)) {
      if (!tone) throw ladder::Objection("this rung lacks tone()");
      return tone(out, in, arguments.get<std::uint8_t>("zone"), arguments.get<float>("curves"), which["n"]);
    }
    const int width = int(which["width"]), height = int(which["height"]);
    using FromTexture = cudaError_t(float*, cudaTextureObject_t, int, int, float, float);
    using FromMemory = cudaError_t(float*, const float*, int, int, float, float);
    FromTexture* const from_texture = rotate;
    FromMemory* const from_memory = rotate;
    // Only now: an error that make_picture() has not returned is told first.
    if (make_picture && (!picture_.texels || !picture_.texture))
      throw ladder::Objection("make_picture() left picture.texels or picture.texture unset");
    if (from_texture)
      return from_texture(out, picture_.texture, width, height, cosine_of(which), sine_of(which));
    if (!from_memory) throw ladder::Objection("this rung lacks rotate()");
    return from_memory(out, in, width, height, cosine_of(which), sine_of(which));
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override {
    if (!picture_.texels) return cudaSuccess;
    const cudaError_t destroyed = cudaDestroyTextureObject(picture_.texture);
    const cudaError_t freed = cudaFreeArray(picture_.texels);
    picture_ = {};
    return destroyed != cudaSuccess ? destroyed : freed;
  }

 private:
  Picture picture_;

  static void reference_tone(ladder::Problem& problem) {
    const auto in = problem.read<float>("in"), curves = problem.read<float>("curves");
    const auto zone = problem.read<std::uint8_t>("zone");
    // Seven steps, each of which rounds a number below 8 once (or twice, where it is not a fused one).
    const auto out = problem.expect("out", {.absolute = 7 * 2 * 0x1p-22});
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        double sum = 0;
        for (int k = kTerms - 1; k >= 0; --k) sum = sum * in[i] + curves[zone[i] * kTerms + k];
        out[i] = sum;
      }
    });
  }

  static void reference_rotation(ladder::Problem& problem) {
    const Case& which = problem.which();
    const std::int64_t width = which["width"], height = which["height"];
    const double cosine = cosine_of(which), sine = sine_of(which);
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", {.absolute = rotation_tolerance(which)});
    const auto texel = [&](std::int64_t i, std::int64_t j) {
      return double(
          in[std::clamp<std::int64_t>(j, 0, height - 1) * width + std::clamp<std::int64_t>(i, 0, width - 1)]);
    };
    ladder::parallel_for(height, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = begin; y < end; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
          const double u = x + 0.5 - width / 2.0, v = y + 0.5 - height / 2.0;
          const double fx = cosine * u - sine * v + width / 2.0 - 0.5;
          const double fy = sine * u + cosine * v + height / 2.0 - 0.5;
          const auto i = static_cast<std::int64_t>(std::floor(fx)),
                     j = static_cast<std::int64_t>(std::floor(fy));
          const double a = fx - std::floor(fx), b = fy - std::floor(fy);
          out[y * width + x] = (1 - b) * ((1 - a) * texel(i, j) + a * texel(i + 1, j)) +
                               b * ((1 - a) * texel(i, j + 1) + a * texel(i + 1, j + 1));
        }
      }
    });
  }
};

}  // namespace

LADDER_LESSON(ConstantAndTexture)
