// What a rung may see follows from the seed and does not lead back to it.
#include "grader/judge/cases/secret.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"

using namespace ladder;

namespace {

/// The x of which SplitMix64's mixing made @p y.
std::uint64_t unmixed(std::uint64_t y) {
  y ^= y >> 31 ^ y >> 62;
  y *= 0x319642b2d24d8ec3ULL;
  y ^= y >> 27 ^ y >> 54;
  y *= 0x96de1b173f119089ULL;
  return y ^ y >> 30 ^ y >> 60;
}

/// The hash that a text led to, by FNV-1a, traced back to where it began.
std::uint64_t unhashed(const std::string& text, std::uint64_t h) {
  for (auto c = text.rbegin(); c != text.rend(); ++c)
    h = h * 0xce965057aff6957bULL ^ static_cast<unsigned char>(*c);
  return h;
}

}  // namespace

TEST_CASE("the seed gives the same numbers again, others for each purpose, case and lesson") {
  const auto numbers = [](const Secret& secret) {
    return std::vector{secret.number("guard", "n=1"), secret.number("guard", "n=2"),
                       secret.number("order", "n=1"), secret.number("hidden cases")};
  };
  CHECK(numbers({5, "saxpy"}) == numbers({5, "saxpy"}));
  std::set<std::uint64_t> all;
  for (const Secret& secret : {Secret(5, "saxpy"), Secret(6, "saxpy"), Secret(5, "reduction")})
    for (const std::uint64_t number : numbers(secret)) all.insert(number);
  CHECK(all.size() == 12);
}

TEST_CASE("a number that a rung's process gets cannot be computed back to the seed") {
  constexpr std::uint64_t kSeed = 20261121;
  const std::string which = "check n=1023";
  const Secret secret(kSeed, "saxpy");
  // As it could be when the guard bands' number was the first of the generator that fills the arrays, and
  // that generator began at a hash of the case's name and the seed.
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL, kBasis = 14695981039346656037ULL;
  Random as_it_was(5);
  REQUIRE(unmixed(unmixed(as_it_was.next()) - kGolden) - kGolden == 5);
  for (const char* purpose : {"guard", "order", "poison", "values"}) {
    const std::uint64_t number = secret.number(purpose, which);
    for (const std::uint64_t begin : {number, unmixed(unmixed(number) - kGolden) - kGolden}) {
      CHECK((unhashed(which, begin) ^ kBasis) != kSeed);
      CHECK(begin != kSeed);
    }
  }
}
