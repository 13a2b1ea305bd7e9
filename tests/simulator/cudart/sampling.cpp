// Which blocks of a launch run while launches are sampled.
#include "simulator/cudart/launch/sampling.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

TEST_CASE("no quarter of a sampled grid goes without a block, whatever the seed") {
  for (const std::uint64_t blocks : {65u, 132u, 4224u, 8192u, 8193u, 1'000'003u})
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      sim::sample_launches(seed);
      const std::vector<std::uint64_t> chosen = sim::cudart::sampled_blocks(blocks);
      INFO("of " << blocks << " blocks, seed " << seed);
      REQUIRE(std::is_sorted(chosen.begin(), chosen.end()));
      CHECK(chosen.front() == 0);
      CHECK(chosen.back() == blocks - 1);
      std::uint64_t widest = 0;
      for (std::size_t i = 1; i < chosen.size(); ++i) widest = std::max(widest, chosen[i] - chosen[i - 1]);
      CHECK(widest * 4 < blocks);
    }
  sim::sample_launches(0);
  CHECK(!sim::cudart::sampling());
}
