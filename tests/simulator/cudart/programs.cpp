// CUDA programs compiled by nvcc, opened as modules and run by our runtime, each checking its own results.
#include <dlfcn.h>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>

#include "simulator/report/wording/words.h"
#include "tests/simulator/cudart/runtime_support.h"

namespace {
#ifdef __SANITIZE_ADDRESS__
constexpr int kKept =
    RTLD_NODELETE;  // what C++'s library keeps for a module counts as lost once that is closed
#else
constexpr int kKept = 0;
#endif
}  // namespace

TEST_CASE("programs compiled by nvcc give right results without a GPU") {
  runtime_test::FreshDevice fresh;
  int programs = 0;
  for (const auto& file : std::filesystem::directory_iterator(LADDER_TEST_MODULES "/programs")) {
    if (file.path().extension() != ".so") continue;
    ++programs;
    DYNAMIC_SECTION(file.path().stem().string()) {
      void* module = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL | kKept);
      INFO(dlerror());
      REQUIRE(module);
      auto* check = reinterpret_cast<bool (*)()>(dlsym(module, "check"));
      REQUIRE(check);
      CHECK(check());
      for (const auto& finding : sim::take_findings()) {
        INFO(finding.file << ":" << finding.line << ": " << sim::sentence(finding));
        CHECK(finding.severity == sim::Severity::note);
      }
      CHECK(dlclose(module) == 0);
    }
  }
  CHECK(programs >= 4);
}
