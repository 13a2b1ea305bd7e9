#include "grader/judge/diagnose/evidence.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <functional>
#include <numeric>

#include "grader/worker/guard.h"
#include "tests/grader/judge/scene.h"

using namespace ladder;
using diagnose::Diagnosis;
using test::contains;
using test::Scene;

TEST_CASE("a kernel that writes nothing is told so") {
  Scene scene({1023});
  for (std::size_t i = 0; i < scene.size(); ++i) scene.unwrite(i);
  contains(scene.diagnosis().headline, "no element of 'out' was written");
}

TEST_CASE("a kernel whose index lacks the block's offset is told so") {
  Scene scene({1023});
  SECTION("when the rest was never written") {
    for (std::size_t i = 256; i < scene.size(); ++i) scene.unwrite(i);
  }
  SECTION("when the rest is wrong") {
    for (std::size_t i = 256; i < scene.size(); ++i) scene.got[i] = static_cast<float>(i % 13) + 20;
  }
  const Diagnosis diagnosis = scene.diagnosis();
  contains(diagnosis.headline, "only the first 256 elements");
  contains(diagnosis.advice, "blockIdx.x * blockDim.x");
}

TEST_CASE("elements that come from memory which nobody wrote are not written either") {
  Scene scene({1023});
  for (std::size_t i = 256; i < scene.size(); ++i)
    std::memset(&scene.got[i], kNewMemory, sizeof scene.got[i]);
  contains(scene.diagnosis().headline, "only the first 256 elements of 'out' were written");
}

TEST_CASE("a kernel of which one thread works is told so") {
  Scene scene({1023});
  for (std::size_t i = 1; i < scene.size(); ++i) scene.unwrite(i);
  contains(scene.diagnosis().headline, "only the first element");
}

TEST_CASE("a kernel that skips the tail is told so") {
  Scene scene({1023});
  for (std::size_t i = 768; i < scene.size(); ++i) scene.unwrite(i);
  const Diagnosis diagnosis = scene.diagnosis();
  contains(diagnosis.headline, "the last 255 of 1023 elements");
  contains(diagnosis.advice, "Round the number of blocks up");
}

TEST_CASE("a tail that is wrong points to the guard") {
  Scene scene({1023});
  scene.got[1022] += 1;
  scene.got[1021] -= 2;
  contains(scene.diagnosis().headline, "only the tail");
}

TEST_CASE("every k-th element missing points to a stride") {
  Scene scene({1023});
  for (std::size_t i = 1; i < scene.size(); i += 2) scene.unwrite(i);
  contains(scene.diagnosis().headline, "every 2nd element");
}

TEST_CASE("every k-th element wrong points to a lane") {
  Scene scene({4096});
  for (std::size_t i = 31; i < scene.size(); i += 32) scene.got[i] = static_cast<float>(i * 7 % 11) + 30;
  contains(scene.diagnosis().headline, "every 32nd element");
}

TEST_CASE("a result added to old contents is recognised by its following the poison") {
  Scene scene({100});
  float poison;
  std::memset(&poison, 0x41, sizeof(poison));
  scene.other.assign(scene.got.begin(), scene.got.end());
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.got[i] = std::numeric_limits<float>::quiet_NaN();  // NaN plus anything
    scene.other[i] += poison;
  }
  contains(scene.diagnosis().headline, "added to what it held before");
}

TEST_CASE("counts added to old contents are recognised although integers wrap and some counts are 0") {
  Buffer out;
  out.name = "bins";
  out.type = Type::u32;
  out.role = Buffer::Role::output;
  out.shape = {4};
  out.expected = {4, 0, 2, 1};
  const std::vector<std::uint32_t> got = {3, 0xffff'ffff, 1, 0};
  const std::vector<std::uint32_t> other = {0x4141'4145, 0x4141'4141, 0x4141'4143, 0x4141'4142};
  const Mismatches wrong = compare(out, std::as_bytes(std::span(got)), 0xFF);
  const Diagnosis diagnosis = diagnose::diagnose({.buffer = out,
                                                  .got = std::as_bytes(std::span(got)),
                                                  .poison = 0xFF,
                                                  .wrong = wrong,
                                                  .other = std::as_bytes(std::span(other)),
                                                  .other_poison = 0x41});
  contains(diagnosis.headline, "'bins' is added to what it held before");
}

TEST_CASE("runs that differ point to a race") {
  Scene scene({1023});
  scene.other.assign(scene.got.begin(), scene.got.end());
  for (std::size_t i = 5; i < scene.size(); i += 7 + i % 3) {
    scene.got[i] += static_cast<float>(i % 5) + 1;
    scene.other[i] += static_cast<float>(i % 3) - 4;
  }
  contains(scene.diagnosis().headline, "two runs on the same data differ");
}

TEST_CASE("elements that nobody wrote do not count as a race, though both runs fill them differently") {
  Scene scene({1023});
  scene.other.assign(scene.got.begin(), scene.got.end());
  for (std::size_t i = 5; i < scene.size(); i += 7 + i % 3) {
    if (i % 2 == 0) {
      scene.unwrite(i);
      std::memset(&scene.other[i], 0x41, sizeof(float));
    } else {
      scene.got[i] += static_cast<float>(i % 5) + 1;
      scene.other[i] = scene.got[i];
    }
  }
  contains(scene.diagnosis().headline, "were never written, the first at [14]");
}

TEST_CASE("zeros everywhere are named") {
  Scene scene({1023});
  std::fill(scene.got.begin(), scene.got.end(), 0.0F);
  contains(scene.diagnosis().headline, "every element of 'out' is 0");
}

TEST_CASE("a maximum of negative numbers that comes out as 0 is told to start below them") {
  Scene scene({1});
  scene.add_input({-7, -3, -5});
  scene.out.expected[0] = -3;
  scene.got[0] = 0;
  contains(scene.diagnosis().headline, "'out' is 0, where a negative maximum is wanted");
  contains(scene.diagnosis().advice, "-INFINITY");
  scene.out.expected[0] = -15;  // the sum
  CHECK(scene.diagnosis().advice.find("INFINITY") == std::string::npos);
}

TEST_CASE("a minimum of positive numbers that comes out as 0 is told to start above them") {
  Scene scene({1});
  scene.add_input({7, 3, 5});
  scene.out.expected[0] = 3;
  scene.got[0] = 0;
  contains(scene.diagnosis().headline, "'out' is 0, where a positive minimum is wanted");
}

TEST_CASE("zeros in place of negative elements of an input point to what a maximum starts with") {
  Scene scene({100});
  std::vector<float> input;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.out.expected[i] = -scene.out.expected[i];
    scene.got[i] = 0;
    input.push_back(static_cast<float>(scene.out.expected[i]));
    input.push_back(-20);
  }
  scene.add_input(input);
  contains(scene.diagnosis().headline, "every element of 'out' is 0, where all should be below 0");
  scene.out.expected[3] = -3.5;  // of no element
  CHECK(scene.diagnosis().headline == "every element of 'out' is 0");
}

TEST_CASE("zeros exactly where negative numbers are wanted point to what a maximum starts with") {
  Scene scene({400});
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if ((i * 2654435761U >> 13) % 3 > 0) continue;  // without a pattern of places
    scene.out.expected[i] = -scene.out.expected[i];
    scene.got[i] = 0;
  }
  contains(scene.diagnosis().headline, "'out' is 0 wherever it should be below 0");
  scene.got[2] = 0;  // where a positive one is wanted
  CHECK(scene.diagnosis().headline.find("below 0") == std::string::npos);
}

TEST_CASE("NaN everywhere is named") {
  Scene scene({1023});
  std::fill(scene.got.begin(), scene.got.end(), std::numeric_limits<float>::quiet_NaN());
  contains(scene.diagnosis().headline, "NaN");
}

TEST_CASE("swapped rows and columns are named") {
  Scene scene({40, 40});
  for (std::size_t r = 0; r < 40; ++r)
    for (std::size_t c = 0; c < 40; ++c)
      scene.got[r * 40 + c] = static_cast<float>(scene.out.expected[c * 40 + r]);
  contains(scene.diagnosis().headline, "rows and columns of 'out' are swapped");
}

TEST_CASE("a wrong leading dimension is named") {
  Scene scene({20, 50});  // should be written at r * 50 + c, is written at c * 20 + r
  for (std::size_t r = 0; r < 20; ++r)
    for (std::size_t c = 0; c < 50; ++c)
      scene.got[c * 20 + r] = static_cast<float>(scene.out.expected[r * 50 + c]);
  contains(scene.diagnosis().headline, "rows and columns of 'out' are swapped");
}

TEST_CASE("an index that is off by one is named") {
  Scene scene({1000});
  for (std::size_t i = 0; i + 1 < scene.size(); ++i)
    scene.got[i] = static_cast<float>(scene.out.expected[i + 1]);
  contains(scene.diagnosis().headline, "1 place too early");
  Scene late({1000});
  for (std::size_t i = 1; i < late.size(); ++i) late.got[i] = static_cast<float>(late.out.expected[i - 1]);
  contains(late.diagnosis().headline, "1 place too late");
}

TEST_CASE("a copied input is named") {
  Scene scene({100});
  std::vector<float> in(100);
  std::iota(in.begin(), in.end(), 50.0F);
  scene.got = in;
  scene.add_input(in);
  contains(scene.diagnosis().headline, "hold what 'in' holds at the same place");
}

TEST_CASE("zeros where a mask is zero are not called copies of the mask") {
  Scene scene({100});
  std::vector<float> mask(100, 1.0F);
  for (std::size_t i = 0; i < 100; i += 3) scene.got[i] = mask[i] = 0;
  scene.add_input(mask);
  CHECK(scene.diagnosis().headline.find("'in'") == std::string::npos);
}

TEST_CASE("elements counted twice are named") {
  Scene scene({1000});
  for (float& value : scene.got) value *= 2;
  const Diagnosis diagnosis = scene.diagnosis();
  contains(diagnosis.headline, "2 times");
  contains(diagnosis.advice, "counted 2 times");
}

TEST_CASE("values off by one amount are named") {
  Scene scene({1000});
  for (float& value : scene.got) value += 0.5F;
  contains(scene.diagnosis().headline, "off by the same amount, 0.5");
}

TEST_CASE("half precision is named") {
  Scene scene({1000});
  for (float& value : scene.got) value = __half2float(__float2half(value));
  contains(scene.diagnosis().headline, "only as exact as half precision");
}

TEST_CASE("whole numbers, which fit half precision anyway, are not taken for it") {
  Scene scene({1000});
  for (std::size_t i = 0; i < scene.size(); ++i) {
    scene.out.expected[i] = static_cast<double>(100 + i * i % 397);
    scene.got[i] = static_cast<float>(101 + i * i % 397);
  }
  contains(scene.diagnosis().headline, "off by the same amount, 1");
}

TEST_CASE("half precision is named although some numbers leave its range") {
  Scene scene({1000});
  for (std::size_t i = 3; i < scene.size(); i += 8) scene.out.expected[i] = i % 16 == 3 ? 1e30F : 1e-9F;
  for (std::size_t i = 0; i < scene.size(); ++i)
    scene.got[i] = __half2float(__float2half(static_cast<float>(scene.out.expected[i])));
  contains(scene.diagnosis().headline, "only as exact as half precision");
}

TEST_CASE("a ragged edge is named") {
  Scene scene({70, 90});
  for (std::size_t r = 0; r < 70; ++r)
    for (std::size_t c = 0; c < 90; ++c)
      if (r >= 64 || c >= 64) scene.got[r * 90 + c] = 100 + static_cast<float>(r * c % 17);
  contains(scene.diagnosis().headline, "ragged edge");
}

TEST_CASE("a total that leaves something out says what") {
  const std::int64_t n = 1023;
  std::vector<float> in(static_cast<std::size_t>(n));
  Random(9).uniform(std::span(in), 1, 2);
  const auto sum = [&](std::int64_t begin, std::int64_t end) {
    return std::accumulate(in.begin() + begin, in.begin() + end, 0.0);
  };
  Scene scene({1});
  scene.out.expected[0] = sum(0, n);
  scene.add_input(in);
  SECTION("one block") {
    scene.got[0] = static_cast<float>(sum(0, 256));
    contains(scene.diagnosis().headline, "the sum of only the first 256 elements");
  }
  SECTION("the odd element") {
    scene.got[0] = static_cast<float>(sum(0, n - 1));
    contains(scene.diagnosis().headline, "all but the last element");
  }
  SECTION("the ragged block") {
    scene.got[0] = static_cast<float>(sum(0, 768));
    contains(scene.diagnosis().headline, "all but the last 255 elements");
  }
  SECTION("everything twice") {
    scene.got[0] = static_cast<float>(2 * sum(0, n));
    contains(scene.diagnosis().headline, "2 times");
  }
}

TEST_CASE("an integer that wrapped is named") {
  Scene scene({100});
  scene.out.type = Type::i32;
  std::vector<std::int32_t> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) {
    scene.out.expected[i] = 1000.0 + static_cast<double>(i) * 37;
    values[i] = static_cast<std::int32_t>(scene.out.expected[i]) % 256;
  }
  std::memcpy(scene.got.data(), values.data(), values.size() * sizeof(float));
  contains(scene.diagnosis().headline, "wrapped around at 2^8");
}

TEST_CASE("what fits no pattern is counted") {
  Scene scene({1000});
  for (const std::size_t i : {3U, 77U, 500U, 901U}) scene.got[i] += static_cast<float>(i);
  contains(scene.diagnosis().headline, "4 of 1000 elements");
}

TEST_CASE("a small array is printed whole, a large one from its first wrong element") {
  Scene scene({3});
  scene.got[1] = 77;
  const auto draw = [](Scene& s) {
    const auto bytes = std::as_bytes(std::span(s.got));
    const Mismatches wrong = compare(s.out, bytes, 0xFF);
    return diagnose::picture({.buffer = s.out, .got = bytes, .poison = 0xFF, .wrong = wrong});
  };
  contains(draw(scene), "out[1]: expected");
  contains(draw(scene), "got 77");
  contains(draw(scene), "(right)");
  Scene matrix({40, 50});
  matrix.got[3 * 50 + 7] = 88;
  contains(draw(matrix), "out[3][7]: expected");
}

TEST_CASE("a case is shown whole when its output and all of its inputs are") {
  const auto whole = [](Scene& s) {
    const auto bytes = std::as_bytes(std::span(s.got));
    const Mismatches wrong = compare(s.out, bytes, 0xFF);
    return diagnose::is_shown_whole(
        {.buffer = s.out, .got = bytes, .poison = 0xFF, .wrong = wrong, .buffers = s.buffers});
  };
  Scene small({3}), matrix({8, 8}), large({13}), of_many({1});
  small.add_input({1, 2, 3});
  CHECK(whole(small));
  CHECK(whole(matrix));
  CHECK_FALSE(whole(large));
  of_many.add_input(std::vector<float>(13));
  CHECK_FALSE(whole(of_many));
}
