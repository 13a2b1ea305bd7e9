#include "grader/sim/host_lines.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

TEST_CASE("memory is called by the variable that its line puts it into") {
  sample::Tree tree;
  const std::string file = (tree.project.root / "scan.cu").string();
  ladder::cli::write_file(file, "\n  CUDA_CHECK(cudaMalloc(&d_sums, n));\n  make(&d_a), make(&d_b);\n");
  const auto named = [&](const char* message) { return ladder::cli::with_variables(message, file); };
  CHECK(named("in a buffer of 4 bytes (cudaMalloc #1 of line 2), freed") ==
        "in a buffer of 4 bytes (d_sums, cudaMalloc #1 of line 2), freed");
  const std::string twice = "byte 4 of 4 bytes from cudaMalloc #12 of line 2, not cudaMalloc #13 of line 2";
  CHECK(named(twice.c_str()) ==
        "byte 4 of 4 bytes from d_sums, cudaMalloc #12 of line 2, not d_sums, cudaMalloc #13 of line 2");
  for (const char* same :
       {"(cudaMalloc #1 of line 3)", "(cudaMalloc #1 of line 9)", "(cudaMalloc #1)", " of line 2",
        "#1 of line 2", "(cudaMalloc #1 of line x)", "(cudaMalloc #1 of line "})
    CHECK(named(same) == same);
}
