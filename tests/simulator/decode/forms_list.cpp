// The list of supported instructions, from which the documentation's table is made.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "simulator/decode/instruction_def.h"

using sim::exec::InstructionInfo;

TEST_CASE("every supported form has a family and a pattern, and is listed with its types") {
  const std::vector<InstructionInfo> all = sim::exec::supported_instructions();
  REQUIRE(all.size() > 100);
  for (const InstructionInfo& form : all) {
    CHECK(!form.family.empty());
    CHECK(!form.pattern.empty());
    CHECK((form.pattern.find('$') == form.pattern.npos || !form.types.empty()));
  }
  const auto listed = [&](const std::string& start, const std::string& type) {
    return std::any_of(all.begin(), all.end(), [&](const InstructionInfo& f) {
      return f.pattern.starts_with(start) && (f.types + f.pattern).find(type) != std::string::npos;
    });
  };
  CHECK(listed("add", "f64"));
  CHECK(listed("ld", "b64"));
  CHECK(listed("wmma.mma", "f16"));
  CHECK(listed("atom", "cas"));
  CHECK(listed("%clock64", ""));
}
