// Every case of wgmma/ on the simulator, compared with what an H100 gave (wgmma/recorded.zst).
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/unpacked.h"
#include "tests/simulator/wgmma/cases.h"

namespace sim::wgmma {

namespace {

struct Recorded {
  std::uint64_t digest = 0;
  std::vector<std::uint32_t> results;  ///< none where there are many
};

std::map<std::string, Recorded> recorded() {
  const std::string all = test::unpacked(LADDER_TEST_DATA "/wgmma/recorded.zst");
  std::map<std::string, Recorded> cases;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t tab = all.find('\t', at), line = all.find('\n', tab);
    Recorded& one = cases[all.substr(at, tab - at)];
    char* end = nullptr;
    one.digest = std::strtoull(all.c_str() + tab, &end, 10);
    one.results.resize(std::strtoull(end, nullptr, 10));
    if (!one.results.empty()) std::memcpy(one.results.data(), all.data() + line + 1, 4 * one.results.size());
    at = line + 1 + 4 * one.results.size();
  }
  return cases;
}

std::vector<std::uint32_t> simulated(const Case& c) {
  test::Device device(ptx_of(c));
  const auto n = static_cast<std::size_t>(kThreads * registers_of_d(c));
  const auto out = device.upload(std::vector<std::uint32_t>(n)), in = device.upload(operands_of(c));
  device.shape.block = {kThreads, 1, 1};
  device.run("k", out, in);
  return device.download<std::uint32_t>(out, n);
}

/// Empty when the bits are the same.
std::string difference(const Recorded& want, const std::vector<std::uint32_t>& got) {
  if (digest(got) == want.digest) return "";
  for (std::size_t i = 0; i < want.results.size(); ++i) {
    if (got[i] == want.results[i]) continue;
    char text[80];
    std::snprintf(text, sizeof text, "register %zu of thread %zu is %#x, on the GPU %#x", i / kThreads,
                  i % kThreads, got[i], want.results[i]);
    return text;
  }
  return "other results than on the GPU";
}

}  // namespace

TEST_CASE("tensor cores give the bits that an H100's give") {
  const auto truth = recorded();
  int differences = 0, compared = 0;
  for (const Case& c : all_cases()) {
    const auto found = truth.find(name_of(c));
    std::string message = "not recorded yet";
    if (found != truth.end()) {
      try {
        message = difference(found->second, simulated(c));
      } catch (const std::exception& e) {
        message = e.what();
      }
    }
    ++compared;
    if (message.empty()) continue;
    if (++differences <= 20) WARN(name_of(c) << ": " << message);
  }
  CHECK(differences == 0);
  CHECK(compared > 1900);
}

}  // namespace sim::wgmma
