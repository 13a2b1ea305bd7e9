// Every case of truth/ on the simulator, compared with what a GPU gave (truth/recorded.zst, from an H200).
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <map>

#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/truth/cases.h"
#include "tests/simulator/truth/compare.h"
#include "tests/simulator/unpacked.h"

using namespace sim::truth;

namespace {

/// Results by the name of their case.
std::map<std::string, std::string> recorded() {
  const std::string all = sim::test::unpacked(LADDER_TEST_DATA "/truth/recorded.zst");
  std::map<std::string, std::string> results;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t tab = all.find('\t', at), line = all.find('\n', tab);
    const std::size_t bytes = std::strtoul(all.c_str() + tab, nullptr, 10);
    results[all.substr(at, tab - at)] = all.substr(line + 1, bytes);
    at = line + 1 + bytes;
  }
  return results;
}

/// The case's results on the simulator, each in 8 bytes.
std::vector<std::uint64_t> simulated(const Case& c) {
  sim::test::Device device(ptx_of(c));
  const std::size_t n = static_cast<std::size_t>(c.rows * places(c.out));
  const auto out = device.upload(std::vector<std::uint64_t>(n)), in = device.upload(operands_of(c));
  device.shape.grid = {static_cast<unsigned>(c.rows) / 32, 1, 1};
  device.shape.block = {32, 1, 1};
  device.run("k", out, in);
  return device.download<std::uint64_t>(out, n);
}

}  // namespace

TEST_CASE("every instruction gives what it gives on an H200") {
  const auto truth = recorded();
  // TRUTH="add.f32" runs one case; TRUTH="add*" those whose names begin so.
  const char* wanted = std::getenv("TRUTH");
  int differences = 0;
  for (const Case& c : all_cases()) {
    if (wanted != nullptr && !chosen(c.name, wanted)) continue;
    const auto found = truth.find(c.name);
    std::string message;
    if (found == truth.end()) {
      message = "not recorded yet";
    } else {
      try {
        message = difference(c, simulated(c), found->second);
      } catch (const std::exception& e) {
        message = e.what();
      }
    }
    if (message.empty()) continue;
    ++differences;
    UNSCOPED_INFO(c.name << ": " << message);
    if (wanted != nullptr || differences <= 40) WARN(c.name << ": " << message);
  }
  CHECK(differences == 0);
}
