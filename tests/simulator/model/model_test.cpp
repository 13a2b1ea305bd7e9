// Modelled against measured: what the time model makes of the launches of every rung, at the sizes that an
// H200 was timed at. compare.py makes the data, model_table prints them as a table.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "tests/simulator/model/rungs.h"

using namespace sim::model;

namespace {

const Ladders& ladders() {
  static const Ladders all = read_ladders(MODEL_DATA);
  return all;
}

double modelled_ms(const Rung& rung) { return modelled(rung, *find_gpu("H200")).ms; }

}  // namespace

TEST_CASE("the model puts the rungs of a ladder in the order that an H200 does") {
  double sum = 0;
  REQUIRE(ladders().size() >= 25);
  for (const auto& [lesson, rungs] : ladders()) {
    std::vector<double> measured, by_model;
    for (const Rung& r : rungs) {
      measured.push_back(r.measured_ms);
      by_model.push_back(modelled_ms(r));
    }
    INFO(lesson);
    const double tau = kendall(measured, by_model);
    CHECK(tau >= 0.7);
    sum += tau;
  }
  CHECK(sum / double(ladders().size()) >= 0.9);
}

TEST_CASE("modelled times are within a factor of two of measured ones for four rungs in five") {
  int close = 0, all = 0;
  for (const auto& [lesson, rungs] : ladders()) {
    for (const Rung& r : rungs) {
      const double ratio = modelled_ms(r) / r.measured_ms;
      close += ratio >= 0.5 && ratio <= 2;
      ++all;
    }
  }
  REQUIRE(all >= 160);
  CHECK(close >= 0.8 * all);
}

TEST_CASE("the bound of a rung is the one that its lesson is about") {
  const auto bound = [](const char* lesson, const char* rung) -> std::string {
    for (const Rung& r : ladders().at(lesson))
      if (r.name == rung) return modelled(r, *find_gpu("H200")).bound;
    return "no such rung";
  };
  CHECK(bound("03_rgb_to_gray", "1_one_row") == "L2");
  CHECK(bound("05_transpose", "1_naive") == "L2");
  CHECK(bound("05_transpose", "2_shared_tile") == "shared wavefronts");
  CHECK(bound("05_transpose", "5_vectorised") == "DRAM");
  CHECK(bound("06_divergence", "1_odd_even") == "issue");
  CHECK(bound("09_reduction", "1_serial") == "latency");
  CHECK(bound("09_reduction", "2_atomic") == "atomics");
  CHECK(bound("09_reduction", "11_vector_loads") == "DRAM");
  CHECK(bound("11_histogram", "2_global_atomics") == "atomics");
  CHECK(bound("16_gelu", "6_half_vectors") == "DRAM");
}

TEST_CASE("no launch without accesses of shared memory is said to be bound by them") {
  int bound_by_shared = 0;
  for (const auto& [lesson, rungs] : ladders()) {
    for (const Rung& r : rungs) {
      for (const ModelledLaunch& l : r.launches) {
        const auto& c = l.result.counters;
        const bool says =
            std::string(estimate(*find_gpu("H200"), l.kernel, l.what, l.result).bound) == "shared wavefronts";
        INFO(lesson << " " << r.name);
        bound_by_shared += says;
        if (says) CHECK(c.shared_load_requests + c.shared_store_requests + c.shared_atomic_requests > 0);
      }
    }
  }
  CHECK(bound_by_shared > 0);
}
