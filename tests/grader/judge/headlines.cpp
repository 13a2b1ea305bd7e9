// Headlines that said more than the values do, or less.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cfloat>
#include <cmath>
#include <limits>

#include "tests/grader/judge/scene.h"

using namespace ladder;
using diagnose::Cause;
using diagnose::Diagnosis;
using test::contains;
using test::Scene;

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

/// A wrong value that follows no rule.
float nonsense(std::size_t i) {
  return static_cast<float>(20 + i * i % 13) + 0.25F * static_cast<float>(i % 7);
}

std::vector<float> drawn(std::size_t n, float low, float high) {
  std::vector<float> values(n);
  Random(11).uniform(std::span(values), low, high);
  return values;
}

}  // namespace

TEST_CASE("bytes are taken for elements only where the rest did not arrive") {
  Scene scene({1023});
  const bool computed = GENERATE(true, false);
  for (std::size_t i = 255; i < scene.size(); ++i) scene.got[i] = computed ? nonsense(i) : 0;
  CHECK((scene.diagnosis().cause == Cause::bytes_for_elements) == !computed);
}

TEST_CASE("a multiple of an input is told of several elements, and where the multiple means something") {
  Scene scene({100});
  std::vector<float> in = drawn(100, 1, 2);
  SECTION("not of one element") {
    scene.got[5] += in[5];
    scene.add_input(in);
    CHECK(scene.diagnosis().cause != Cause::input_left_out);
  }
  SECTION("not with any factor") {
    for (std::size_t i = 0; i < 100; ++i) scene.got[i] += 0.05855F * in[i];
    scene.add_input(in);
    CHECK(scene.diagnosis().cause != Cause::input_left_out);
  }
  SECTION("not of several elements that share one value") {
    for (std::size_t i = 0; i < 100; ++i) in[i] = i % 7 < 2 ? 1.5F : in[i];
    for (std::size_t i = 0; i < 100; ++i) scene.got[i] += i % 7 < 2 ? 3 : 0;
    scene.add_input(in);
    CHECK(scene.diagnosis().cause == Cause::constant_offset);
  }
  SECTION("with a small whole number") {
    for (std::size_t i = 0; i < 100; ++i) scene.got[i] += 2 * in[i];
    scene.add_input(in);
    contains(scene.diagnosis().headline, "off by 2 times 'in'");
  }
  SECTION("with a number that the function is given") {
    scene.scalars = {{"scale", 1.37}};
    for (std::size_t i = 0; i < 100; ++i) scene.got[i] -= 1.37F * in[i];
    scene.add_input(in);
    contains(scene.diagnosis().headline, "'in' is not added");
  }
}

TEST_CASE("a factor of two elements that should be equal is none") {
  Scene scene({100});
  scene.out.expected[4] = scene.out.expected[5] = 259.427753F;
  scene.got[4] = scene.got[5] = 467.943878F;
  CHECK(scene.diagnosis().cause != Cause::constant_factor);
}

TEST_CASE("all of two elements that are off by one factor are told so, as a share of a wrong sum is") {
  Scene scene({2});
  for (float& value : scene.got) value *= 0.572F;
  CHECK(scene.diagnosis().cause == Cause::constant_factor);
}

TEST_CASE("a factor of nearly 1 is a matter of precision") {
  Scene scene({GENERATE(2, 1000)});
  for (std::size_t i = 0; i < scene.size(); ++i)
    scene.got[i] *= i < 2 ? 1.00038F : 1 + 0.0001F * static_cast<float>(static_cast<int>(i % 7) - 3);
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::low_precision);
  contains(diagnosis.headline, "off by up to 0.00038 of the value, about 11 bits are right");
  contains(diagnosis.advice, "half precision");
}

TEST_CASE("values nearly right are not what one of them, far off, is told by") {
  Scene scene({1000});
  for (std::size_t i = 0; i < scene.size(); ++i)
    scene.got[i] *= 1 + 0.0001F * static_cast<float>(static_cast<int>(i % 7) - 3);
  scene.out.expected[500] = 0;
  scene.got[500] = 2 * scene.out.expected[0];
  CHECK(scene.diagnosis().cause != Cause::low_precision);
}

TEST_CASE("a factor of nearly 1 that many elements share to many digits is no rounding") {
  Scene scene({1000});
  for (float& value : scene.got) value *= 1.004F;
  CHECK(scene.diagnosis().cause == Cause::constant_factor);
}

TEST_CASE("what a maximum starts with is named") {
  SECTION("where nothing was taken for larger") {
    Scene scene({1});
    scene.got[0] = -kInfinite;
    scene.add_input({static_cast<float>(scene.out.expected[0])});
    const Diagnosis diagnosis = scene.diagnosis();
    CHECK(diagnosis.cause == Cause::start_left);
    contains(diagnosis.headline, "'out' is -infinity, which a maximum starts with: no element was taken");
  }
  SECTION("where it is larger than what is wanted") {
    Scene scene({100});
    scene.add_input(drawn(100, -2, -1));
    const bool lowest = GENERATE(true, false);
    for (std::size_t i = 3; i < 100; i += 9) {
      scene.out.expected[i] = lowest ? -kInfinite : scene.input[i];
      scene.got[i] = lowest ? -FLT_MAX : FLT_MIN;
    }
    const Diagnosis diagnosis = scene.diagnosis();
    CHECK(diagnosis.cause == Cause::start_left);
    contains(diagnosis.headline, lowest
                                     ? "are -FLT_MAX, which a maximum starts with, where -infinity is wanted"
                                     : "are FLT_MIN, which a maximum starts with, where less is wanted");
  }
  SECTION("but not where values merely stand in wrong places") {
    Scene scene({4});
    scene.add_input({1, -FLT_MAX, 3, 2});
    scene.out.expected = {-FLT_MAX, 1, 2, 3};
    scene.got = {-FLT_MAX, -FLT_MAX, 2, 3};
    CHECK(scene.diagnosis().cause != Cause::start_left);
  }
}

TEST_CASE("what is infinite for another reason is told in words that fit one element") {
  Scene scene({1});
  scene.got[0] = kInfinite;
  scene.add_input({1, 2, 3});
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::infinite);
  contains(diagnosis.headline, "'out' is infinite");
}

TEST_CASE("NaN where a row is far below 0 points to what the maximum starts with") {
  Scene scene({4, 8});
  std::vector<float> in = drawn(32, -1, 1);
  for (std::size_t c = 8; c < 16; ++c) {
    in[c] -= 900;
    scene.got[c] = std::numeric_limits<float>::quiet_NaN();
  }
  const bool far = GENERATE(true, false);
  if (!far) in[11] = 0;
  scene.add_input(in, "in", {4, 8});
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::all_nan);
  CHECK((diagnosis.advice.find("FLT_MIN") != std::string::npos) == far);
}

TEST_CASE("axes that are permuted the other way round are named") {
  const std::size_t d[] = {3, 5, 7, 4};
  Scene scene({3, 7, 4, 5});  // axes 0, 2, 3, 1 of the input
  const std::vector<float> in = drawn(scene.size(), -1, 1);
  const bool back = GENERATE(true, false);
  for (std::size_t i = 0; i < d[0]; ++i)
    for (std::size_t j = 0; j < d[1]; ++j)
      for (std::size_t k = 0; k < d[2]; ++k)
        for (std::size_t l = 0; l < d[3]; ++l) {
          const float value = in[((i * d[1] + j) * d[2] + k) * d[3] + l];
          scene.out.expected[((i * d[2] + k) * d[3] + l) * d[1] + j] = value;
          const std::size_t other =
              back ? ((i * d[3] + l) * d[1] + j) * d[2] + k : ((j * d[0] + i) * d[2] + k) * d[3] + l;
          scene.got[other] = value;
        }
  scene.add_input(in, "in", {3, 5, 7, 4});
  const Diagnosis diagnosis = scene.diagnosis();
  CHECK(diagnosis.cause == Cause::permuted_axes);
  contains(diagnosis.headline, back ? "the other way round: (0, 3, 1, 2) where (0, 2, 3, 1) is wanted"
                                    : "in another order: (1, 0, 2, 3) where (0, 2, 3, 1) is wanted");
}

TEST_CASE("of two or three rows none is special") {
  Scene two({2, 40});
  for (std::size_t c = 0; c < 40; ++c) two.got[40 + c] = nonsense(c);
  const Diagnosis diagnosis = two.diagnosis();
  contains(diagnosis.headline, "row 0 of 'out' is right, row 1 is wrong");
  contains(diagnosis.advice, "in elements or in bytes");
  Scene three({3, 40});
  for (std::size_t c = 0; c < 40; ++c) three.got[40 + c] = nonsense(c);
  contains(three.diagnosis().headline, "rows 0 and 2 of 'out' are right, row 1 is wrong");
}

TEST_CASE("wrong elements here and there at the edges are told to be there") {
  Scene scene({65, 129});
  SECTION("in the first row and column") {
    for (std::size_t c = 0; c < 60; ++c) scene.got[c] = nonsense(c);
    for (std::size_t r = 0; r < 30; ++r) scene.got[r * 129] = nonsense(r + 3);
    contains(scene.diagnosis().headline, "only at its edges: in the first row and the first column");
  }
  SECTION("near them") {
    for (std::size_t c = 0; c < 60; ++c) scene.got[c / 15 * 129 + c] = nonsense(c);
    for (std::size_t r = 20; r < 60; ++r) scene.got[r * 129 + r % 3] = nonsense(r);
    contains(scene.diagnosis().headline, "only near its edges: in the first rows and the first columns");
  }
  SECTION("and those elsewhere are not") {
    for (std::size_t i = 7; i < scene.size(); i += 97 + i % 5) scene.got[i] = nonsense(i);
    CHECK(scene.diagnosis().cause != Cause::edges);
  }
}

TEST_CASE("the input's values that tell wrong elements from right ones are found") {
  Scene scene({1023});
  std::vector<float> in = drawn(scene.size(), -5, 5);
  const auto spoil = [&](const auto& where) {
    for (std::size_t i = 0; i < scene.size(); ++i)
      if (where(in[i])) scene.got[i] = nonsense(i);
  };
  SECTION("a bound") {
    spoil([](float x) { return x > 2; });
    scene.add_input(in);
    contains(scene.diagnosis().headline, "'out' is wrong where 'in' is above 2, and right elsewhere");
  }
  SECTION("a bound of the size") {
    spoil([](float x) { return std::abs(x) > 2; });
    scene.add_input(in);
    contains(scene.diagnosis().headline, "where |in| is above 2, and");
  }
  SECTION("a range on either side of 0") {
    spoil([](float x) { return (x < -2 && x > -4) || (x > 2 && x < 2.75F); });
    scene.add_input(in);
    const std::string headline = scene.diagnosis().headline;
    contains(headline, "'in' is between -4");
    contains(headline, "or between 2 and 2.7");
  }
  SECTION("a bound beyond which nothing is right, and more that is wrong") {
    spoil([](float x) { return x > 2; });
    for (std::size_t i = 0; i < scene.size(); i += 5 + i % 3) scene.got[i] = nonsense(i);
    scene.add_input(in);
    contains(scene.diagnosis().headline,
             "every element of 'out' where 'in' is above 2 is wrong, and some others");
  }
  SECTION("not of a mask, which hides mistakes of all kinds") {
    spoil([](float x) { return x > 2; });
    for (float& x : in) x = x > 2 ? 1 : 0;
    scene.add_input(in, "mask");
    CHECK(scene.diagnosis().cause != Cause::by_input_value);
  }
  SECTION("not by chance") {
    for (std::size_t i = 0; i < scene.size(); i += 5 + i % 3) scene.got[i] = nonsense(i);
    scene.add_input(in);
    CHECK(scene.diagnosis().cause != Cause::by_input_value);
  }
}

TEST_CASE("what differs with the old contents, and with nothing else, is no race") {
  Scene scene({1023});
  scene.other.assign(scene.got.begin(), scene.got.end());
  for (std::size_t i = 5; i < scene.size(); i += 7 + i % 3) {
    scene.got[i] += static_cast<float>(i % 5) + 1;
    scene.other[i] += static_cast<float>(i % 3) - 4;
  }
  const bool as_first = GENERATE(true, false), same_poison = GENERATE(true, false);
  scene.again = as_first ? scene.got : scene.other;
  scene.again_poison = same_poison ? 0xFF : 0x41;
  CHECK(scene.diagnosis().cause ==
        (as_first == same_poison ? Cause::depends_on_old_contents : Cause::differs_between_runs));
}
