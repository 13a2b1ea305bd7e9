// Rows that should be shares of 1, and what they are instead.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "tests/grader/judge/scene.h"

using namespace ladder;
using namespace ladder::diagnose;
using ladder::test::contains;
using ladder::test::Scene;

namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kEndless = std::numeric_limits<float>::infinity();

/// The softmax of an input of 4 rows of 8, of which row 1 is 1000 larger than the others.
struct Shares : Scene {
  std::vector<float> in = std::vector<float>(32);

  explicit Shares(float raised = 0) : Scene({4, 8}) {
    Random random(7);
    random.uniform(std::span(in), -4, 4);
    for (std::size_t i = 8; i < 16; ++i) in[i] += raised;
    want();
    add_input(in, "in", {4, 8});
  }

  void want() {
    for (std::size_t row = 0; row < 4; ++row) {
      double sum = 0;
      for (std::size_t i = row * 8; i < row * 8 + 8; ++i)
        sum += out.expected[i] = std::exp(double(in[i]) - in[row * 8]);
      for (std::size_t i = row * 8; i < row * 8 + 8; ++i) got[i] = static_cast<float>(out.expected[i] /= sum);
    }
  }
};

}  // namespace

TEST_CASE("shares of which a part of the sum is left out are told with the sum that they have") {
  Shares scene;
  for (std::size_t i = 16; i < 24; ++i) scene.got[i] *= 1.25f;
  for (std::size_t i = 24; i < 32; ++i) scene.got[i] *= 1.5f;
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::row_factors);
  contains(diagnosis.headline, "so that the sum of row 2 is 1.25 and not 1");
  contains(diagnosis.advice, "left out of the sum");
}

TEST_CASE("shares of one row that are divided by too much are told to be so") {
  Shares scene;
  for (std::size_t i = 8; i < 16; ++i) scene.got[i] *= 0.7f;
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::constant_factor);
  contains(diagnosis.headline, "so that the sum of row 1 is 0.7 and not 1");
  contains(diagnosis.advice, "exp(-INFINITY) is 0");
}

TEST_CASE("shares that were divided by several numbers are told by their sum") {
  Shares scene;
  for (std::size_t i = 0; i < 32; ++i) scene.got[i] *= i % 2 == 0 ? 1.9f : 2.3f;
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::row_sums);
  contains(diagnosis.headline, "have a sum other than 1: that of row 0 is");
  contains(diagnosis.advice, "not all divided by the same");
}

TEST_CASE("shares with the right sum are told to have wrong exponents") {
  Shares scene;
  for (float& value : scene.got) value = 0.125f;
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::row_shares);
  contains(diagnosis.headline, "have a sum of 1, as they should");
  contains(diagnosis.advice, "the maximum of the whole row");
}

TEST_CASE("what is no share is not told by its sum") {
  Scene scene({4, 8});
  for (std::size_t i = 0; i < 32; ++i) scene.got[i] *= i % 2 == 0 ? 1.9f : 2.3f;
  CHECK(scene.diagnosis().cause != Cause::row_sums);
}

TEST_CASE("shares that are NaN where exp overflows point to the maximum that was not subtracted") {
  Shares scene(1000);
  for (std::size_t i = 8; i < 16; ++i) scene.got[i] = kNotANumber;
  Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::all_nan);
  contains(diagnosis.headline, "where 'in' is above 88");
  contains(diagnosis.advice, "Subtract the row's maximum");
  // NaN elsewhere as well has another reason.
  scene.got[0] = kNotANumber;
  diagnosis = scene.diagnosis();
  CHECK(diagnosis.headline.find("88") == std::string::npos);
}

TEST_CASE("rows of NaN that hold -infinity point to what a part without elements starts with") {
  Shares scene;
  scene.in[12] = -kEndless;
  scene.want();
  scene.input = scene.in;
  scene.buffers[0].bytes = std::as_writable_bytes(std::span(scene.input));
  for (std::size_t i = 8; i < 16; ++i) scene.got[i] = kNotANumber;
  const Diagnosis diagnosis = scene.diagnosis();
  contains(diagnosis.headline, "in the rows where 'in' has elements of -infinity");
  contains(diagnosis.advice, "-FLT_MAX");
}

TEST_CASE("rows of NaN that are shorter than a block point to threads without an element") {
  Shares scene;
  for (float& value : scene.got) value = kNotANumber;
  contains(scene.diagnosis().headline, "where a row has 8 elements, and a block 256 threads");
  scene.block_threads = 8;
  CHECK(scene.diagnosis().headline == "every element of 'out' is NaN");
}
