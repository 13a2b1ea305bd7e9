#include "grader/sim/host_lines.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "grader/platform/files.h"
#include "simulator/report/wording/source_names.h"
#include "simulator/report/wording/words.h"
#include "tests/grader/support/sample.h"

TEST_CASE("memory is called by the variable that its line puts it into") {
  sample::Tree tree;
  const std::string file = (tree.project.root / "scan.cu").string();
  ladder::cli::write_file(file, "\n  CUDA_CHECK(cudaMalloc(&d_sums, n));\n  make(&d_a), make(&d_b);\n");
  const auto variable = [&](const char* origin, int line) {
    return sim::variable_of(sim::AllocationName{.origin = origin, .file = file, .line = line});
  };
  CHECK(variable("cudaMalloc #1", 2) == "d_sums");
  CHECK(variable("cudaMalloc #12", 2) == "d_sums");
  CHECK(variable("cudaMalloc #1", 3).empty());
  CHECK(variable("cudaMalloc #1", 9).empty());
  CHECK(variable("cudaMalloc #1", 0).empty());
  CHECK(variable("cudaMallocManaged #1", 2).empty());
  CHECK(sim::variable_of({.origin = "cudaMalloc #1", .file = file + ".gone", .line = 2}).empty());
  std::filesystem::resize_file(file, std::uintmax_t{5} << 20);  // no source, whoever calls it one
  CHECK(variable("cudaMalloc #1", 2).empty());
}

TEST_CASE("the line and the variable stand in the sentence wherever it names the memory") {
  sim::AllocationName memory{.origin = "cudaMalloc #1"};
  sim::Finding finding;
  finding.file = "/home/scan.cu";
  const auto said = [&] {
    finding.message = sim::Message("byte {} of {} bytes from {}, which was freed", 4, 8, memory);
    return sim::sentence(finding);
  };
  CHECK(said() == "byte 4 of 8 bytes from cudaMalloc #1, which was freed.");
  memory.file = "/home/scan.cu", memory.line = 2;
  CHECK(said() == "byte 4 of 8 bytes from cudaMalloc #1 of line 2, which was freed.");
  memory.variable = "d_sums";
  CHECK(said() == "byte 4 of 8 bytes from d_sums, cudaMalloc #1 of line 2, which was freed.");
  memory.file = "/home/buffers.h";
  CHECK(said() == "byte 4 of 8 bytes from d_sums, cudaMalloc #1 of buffers.h:2, which was freed.");
}

TEST_CASE("the other party's line is elsewhere until it is known") {
  sim::Finding finding;
  finding.message = sim::Message("kernel a writes it, and kernel b ({}) reads it", sim::OtherLine{});
  CHECK(sim::sentence(finding) == "kernel a writes it, and kernel b (elsewhere) reads it.");
  finding.other = sim::OtherParty{sim::AccessKind::read, 7, {}, {}, {}, {}};
  CHECK(sim::sentence(finding) == "kernel a writes it, and kernel b (line 7) reads it.");
}
