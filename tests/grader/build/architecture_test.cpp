#include "grader/build/architecture.h"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>

using namespace ladder::cli;

namespace {

std::string hint(const std::string& text, const Architecture& compiled_for) {
  CompilerMessage message;
  message.text = text;
  return newer_architecture_hint({message}, compiled_for);
}

}  // namespace

TEST_CASE("an architecture is read in every usual spelling, with the letter that it may have") {
  for (const char* text : {"90", "9.0", "sm_90", "compute_90"}) CHECK(read_architecture(text) == "90");
  CHECK(read_architecture("9.0a") == "90a");
  CHECK(read_architecture("compute_120") == "120");
  for (const char* text : {"", "a", "9", "9000", "hopper", "sm_9x", "80;rm"})
    CHECK(read_architecture(text).empty());
}

TEST_CASE("a rung that needs more than the device's architecture gets it, and its letter") {
  RungInfo rung;
  CHECK(architecture_of(rung, "75") == "75");
  rung.compute_capability = "8.0";
  CHECK(architecture_of(rung, "75") == "80");
  CHECK(architecture_of(rung, "90") == "90");
  rung.compute_capability = "9.0a";
  CHECK(architecture_of(rung, "90") == "90a");
  CHECK(architecture_of(rung, "100") == "100");
}

TEST_CASE("what is compiled follows the simulated GPU") {
  ::setenv("LADDER_SIM_GPU", "T4", 1);
  CHECK(simulated_architecture() == "75");
  ::setenv("LADDER_SIM_GPU", "A100", 1);
  CHECK(simulated_architecture() == "80");
  ::unsetenv("LADDER_SIM_GPU");
  CHECK(simulated_architecture() == "90");
}

TEST_CASE("a symbol that only a newer architecture has is told so, and no other") {
  CHECK(hint("identifier \"__reduce_xor_sync\" is undefined", "75") ==
        "__reduce_xor_sync needs compute capability 8.0; this was compiled for 7.5.");
  CHECK(hint("identifier \"__reduce_xor_sync\" is undefined", "90").empty());
  CHECK(hint("identifier \"q\" is undefined", "75").empty());
  CHECK(hint("Feature 'cp.async' requires .target sm_80 or higher", "75") ==
        "cp.async needs compute capability 8.0; this was compiled for 7.5.");
  CHECK(hint("Instruction 'wgmma.fence' requires .target sm_90a", "90") ==
        "wgmma.fence needs compute capability 9.0a; this was compiled for 9.0.");
}
