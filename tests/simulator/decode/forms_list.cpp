// The list of supported instructions, from which the documentation's table is made.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "simulator/decode/instruction_def.h"

using sim::exec::FormInfo;

TEST_CASE("every supported form has a family and a pattern, and is listed with its types") {
  const std::vector<FormInfo> all = sim::exec::supported_forms();
  REQUIRE(all.size() > 100);
  for (const FormInfo& form : all) {
    CHECK(!form.family.empty());
    CHECK(!form.form.empty());
    CHECK((form.form.find('$') == form.form.npos || !form.types.empty()));
  }
  const auto listed = [&](const std::string& start, const std::string& type) {
    return std::any_of(all.begin(), all.end(), [&](const FormInfo& f) {
      return f.form.starts_with(start) && (f.types + f.form).find(type) != std::string::npos;
    });
  };
  CHECK(listed("add", "f64"));
  CHECK(listed("ld", "b64"));
  CHECK(listed("wmma.mma", "f16"));
  CHECK(listed("atom", "cas"));
  CHECK(listed("%clock64", ""));
}
