// What a program finds in its cell.
#include "grader/grade/sandbox/sandbox.h"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/process/run_process.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;
using namespace ladder::cli::grade;

TEST_CASE(
    "of the environment a cell has the GPU that a cluster handed out, and none of its owner's secrets") {
  const sample::Tree tree;
  Grading grading;
  grading.project.root = tree.project.root;
  grading.project.build = LADDER_BUILD_DIR;
  grading.work = tree.project.root / "work";
  if (const std::string reason = why_no_sandbox(grading); !reason.empty()) SKIP(reason);
  ::setenv("CUDA_VISIBLE_DEVICES", "3", 1);
  ::setenv("GRADEBOOK_TOKEN", "secret", 1);
  std::vector<std::string> words = enter(grading, {});
  words.push_back("/usr/bin/env");
  const Captured environment = capture(words);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::unsetenv("GRADEBOOK_TOKEN");
  INFO(environment.output);
  REQUIRE(environment.status.ok());
  CHECK(environment.output.find("CUDA_VISIBLE_DEVICES=3\n") != std::string::npos);
  CHECK(environment.output.find("GRADEBOOK_TOKEN") == std::string::npos);
}
