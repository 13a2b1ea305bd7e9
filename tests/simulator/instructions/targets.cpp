// The targets that declarations name: the simulator has an instruction from the same `.target` on as ptxas.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/instructions/ptxas_support.h"

using Catch::Matchers::ContainsSubstring;
using namespace sim::truth;
using namespace sim::test::ptxas_says;

namespace {

/// What is said of a case for an older target; "" when it decodes.
std::string refusal(const Case& c, int target) {
  try {
    sim::test::Device device(for_target(ptx_of(c), target));
    device.module().kernel("k");
  } catch (const sim::exec::Fault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an instruction that the target lacks is refused with the target it needs") {
  const auto said = [](const std::string& body, const char* target) {
    std::string text = sim::test::kernel_text("", ".reg .b32 %r<4>; .reg .b16 %h<4>;\n" + body);
    text.replace(text.find(kHead), std::string(kHead).size(), std::string(".target ") + target + "\n");
    try {
      sim::test::Device device(text);
      device.module().kernel("k");
    } catch (const sim::exec::Fault& fault) {
      CHECK(fault.finding.kind == sim::FindingKind::unsupported);
      return std::string(fault.what());
    }
    return std::string();
  };
  CHECK_THAT(said("redux.sync.add.u32 %r1, %r2, 0xffffffff;", "sm_75"),
             ContainsSubstring("redux.sync.add.u32") && ContainsSubstring("needs .target sm_80 or higher") &&
                 ContainsSubstring("for sm_75"));
  CHECK(said("redux.sync.add.u32 %r1, %r2, 0xffffffff;", "sm_80").empty());
  CHECK(said("fma.rn.bf16 %h1, %h2, %h3, %h1;", "sm_80").empty());
  CHECK_THAT(said("add.bf16 %h1, %h2, %h3;", "sm_89"), ContainsSubstring("sm_90 or higher"));
  CHECK_THAT(said("mov.u32 %r1, %cluster_ctarank;", "sm_86"),
             ContainsSubstring("%cluster_ctarank") && ContainsSubstring("sm_90 or higher"));
  CHECK(said("mov.u32 %r1, %cluster_ctarank;", "sm_90a").empty());
  const char* const specific = "wgmma.fence.sync.aligned;";
  CHECK_THAT(said(specific, "sm_90"), ContainsSubstring("needs .target sm_90a, and this PTX is for sm_90:"));
  CHECK_THAT(said(specific, "sm_100"), ContainsSubstring("needs .target sm_90a,"));
  CHECK_THAT(said(specific, "sm_100a"), ContainsSubstring("needs .target sm_90a,"));
  CHECK(said(specific, "sm_90a").empty());
}

TEST_CASE("every recorded instruction is had from the target on from which ptxas has it") {
  if (!std::filesystem::exists(ptxas())) SKIP("no ptxas beside " LADDER_NVCC);
  const std::vector<Case> cases = all_cases();
  for (const int target : {75, 80, 86, 89}) {
    const std::set<std::size_t> refused = refused_by_ptxas(cases, target);
    CHECK(refused.size() > 100);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const std::string said = refusal(cases[k], target);
      INFO("sm_" << target << ": " << cases[k].name << ": " << said);
      CHECK((said.find("or higher") != said.npos) == refused.contains(k));
    }
  }
}
