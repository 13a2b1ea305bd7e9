#include "grader/grade/sandbox/clock.h"

#include <catch2/catch_test_macros.hpp>

using ladder::cli::grade::doubt;

namespace {

constexpr double kBeside = 0.1;  // milliseconds between two launches, whoever's they are

/// What the judge finds beside each launch of a batch of @p launches of @p truth milliseconds, of which the
/// process says that they were @p said_launches of @p said.
double batch(double truth, int launches, double said, int said_launches) {
  return launches * (truth + kBeside) / said_launches - said;
}

}  // namespace

TEST_CASE("true times are believed, however fast or slow the rung") {
  const double solution = batch(0.5, 100, 0.5, 100);
  for (const double ms : {0.005, 0.4, 0.5, 3.0, 800.0})
    CHECK(doubt({ms, batch(ms, 100, ms, 100)}, {0.5, solution}).empty());
}

TEST_CASE("a process that says less than its launches took is found out by the judge's clock") {
  const double solution = batch(0.5, 100, 0.5, 100);
  CHECK(doubt({0.5, batch(2, 30, 0.5, 30)}, {0.5, solution}).find("1.5 ms longer") != std::string::npos);
  CHECK_FALSE(doubt({0.5, batch(0.75, 100, 0.5, 100)}, {0.5, solution}).empty());
  CHECK(doubt({0.5, batch(0.55, 100, 0.5, 100)}, {0.5, solution}).empty());  // a tenth is not noticed
}

TEST_CASE("a process that says it launched more often than it did is found out, too") {
  const double solution = batch(0.5, 100, 0.5, 100);
  CHECK(doubt({0.2, batch(0.5, 100, 0.2, 290)}, {0.5, solution}).find("no time for as many") !=
        std::string::npos);
}

TEST_CASE("where no clock ran, as in a model, nothing is doubted") {
  CHECK(doubt({0.1, 0}, {0.5, 0.1}).empty());
  CHECK(doubt({0.1, 0.1}, {0.5, 0}).empty());
}
