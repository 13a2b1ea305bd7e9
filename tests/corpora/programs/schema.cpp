// The JSON of `ladder sim`: every key that it promises, on one program for each kind of finding.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/corpora/programs/corpus.h"

using nlohmann::json;

namespace {

/// What is expected of the finding beside what the program's own comment says.
struct Expected {
  std::string file, program, kind, space, access;
  unsigned size = 0;
  bool on_device = true;  ///< of a kernel's instruction; otherwise of a call of the host
  bool other = false, allocation = false;
};

const std::vector<Expected> kExpected = {
    {"race_shared", "neighbour_exchange", "race", "shared", "*", 4, true, true},
    {"race_global", "no_barrier_within_the_block", "race", "global", "*", 4, true, true, true},
    {"race_global", "sum_from_many_blocks", "race", "global", "*", 4, true, true, true},
    {"streams", "two_kernels_on_two_streams", "race", "global", "*", 0, false, true, true},
    {"out_of_bounds_global", "write_past_the_end", "out-of-bounds", "global", "write", 4, true, false, true},
    {"out_of_bounds_global", "read_past_the_end", "out-of-bounds", "global", "read", 4, true, false, true},
    {"out_of_bounds_global", "atomic_past_the_end", "out-of-bounds", "global", "atomic", 4, true, false,
     true},
    {"out_of_bounds_on_chip", "shared_array_too_small", "out-of-bounds", "shared", "*", 4},
    {"out_of_bounds_on_chip", "dynamic_size_in_elements", "out-of-bounds", "shared", "*", 4},
    {"out_of_bounds_on_chip", "local_array", "out-of-bounds", "local", "*", 4},
    {"learners_memory", "local_array_into_its_neighbour", "out-of-bounds", "local", "write", 4},
    {"out_of_bounds_on_chip", "constant_array", "out-of-bounds", "constant", "read", 4, true, false, true},
    {"use_after_free", "kernel_after_free", "use-after-free", "global", "*", 4, true, false, true},
    {"uninitialized", "shared_accumulator", "uninitialized", "shared", "*", 4},
    {"uninitialized", "accumulator_from_malloc", "uninitialized", "global", "*", 4, true, false, true},
    {"uninitialized", "local_array_partly_filled", "uninitialized", "local", "read", 4},
    {"misaligned", "integer_at_an_odd_byte", "misaligned", "global", "*", 4, true, false, true},
    {"descriptors", "swizzle_in_the_map_alone", "descriptor", "shared", "read"},
    {"barrier", "in_a_divergent_branch", "barrier", "", "", 0, true, true},
    {"barrier", "named_barrier_with_two_counts", "barrier", "", "", 0, true, true},
    {"barrier", "after_an_early_return", "barrier", "", "", 0, true, true},
    {"mask", "lane_not_in_its_own_mask", "mask", "", "", 0},
    {"mask", "lanes_that_have_returned", "mask", "", "", 0},
    {"hang", "flag_never_set", "hang", "", "", 0},
    {"hang", "loop_steps_over_its_end", "hang", "", "", 0},
    {"pipelines", "both_wait_before_they_signal", "hang", "", "", 0},
    {"launch", "block_too_large", "launch", "", "", 0, false},
    {"launch", "more_shared_memory_than_there_is", "launch", "", "", 0, false},
    {"launch", "error_not_checked", "launch", "", "", 0, false},
    {"host_calls", "copy_to_beyond_the_allocation", "memcpy", "", "", 0, false, false, true},
    {"host_calls", "copy_in_the_wrong_direction", "memcpy", "", "", 0, false},
    {"host_calls", "freed_twice", "free", "", "", 0, false, false, true},
    {"host_calls", "host_memory_given_to_cuda_free", "free", "", "", 0, false},
    {"host_calls", "never_freed", "leak", "global", "", 0, false, false, true},
};

const corpus::Program& find(const std::vector<corpus::Program>& all, const Expected& e) {
  for (const corpus::Program& p : all)
    if (p.name == e.program && p.file == "defective/" + e.file + ".cu") return p;
  throw std::runtime_error("no program " + e.program);
}

bool is_index(const json& j) {
  return j.is_array() && j.size() == 3 && j[0].is_number_unsigned() && j[1].is_number_unsigned() &&
         j[2].is_number_unsigned();
}

void check_other(const json& f, const corpus::Program& program, bool device) {
  REQUIRE(f.contains("other"));
  const json& other = f["other"];
  CHECK(other.at("access").is_string());
  CHECK_FALSE(other.at("access").get<std::string>().empty());
  CHECK(other.at("line").get<int>() > 0);
  CHECK(other.at("file") == f.at("file"));
  CHECK(is_index(other.at("block")));
  CHECK(is_index(other.at("thread")));
  CHECK_FALSE(other.contains("host_frames"));
  if (device && f["kind"] == "race") {
    CHECK((other["block"] != f["block"] || other["thread"] != f["thread"]));
    CHECK(std::count(program.lines.begin(), program.lines.end(), other["line"].get<int>()) == 1);
  }
}

void check_allocation(const json& f) {
  REQUIRE(f.contains("allocation"));
  const json& memory = f["allocation"];
  CHECK(memory.at("size").is_number_unsigned());
  CHECK_FALSE(memory.at("origin").get<std::string>().empty());
  CHECK_FALSE(memory.contains("host_frames"));
  if (f["space"] == "constant") return;  // a variable: nobody asked for it
  CHECK_FALSE(memory.at("file").get<std::string>().empty());
  CHECK(memory.at("line").get<int>() > 0);
}

void check_stuck(const json& f) {
  for (const json& group : f["stuck"]) {
    CHECK_FALSE(group.at("who").get<std::string>().empty());
    CHECK(std::set<json>{"", "barrier", "wait", "exit"}.contains(group.at("does")));
    CHECK(group.at("file") == f.at("file"));
    CHECK(group.at("line").get<int>() > 0);
    const bool waits = group["does"] == "barrier" || group["does"] == "wait";
    CHECK(group.contains("wanted") == waits);
  }
}

void check(const json& f, const Expected& e, const corpus::Program& program) {
  for (const char* key : {"kind", "space", "access", "severity", "kernel", "file", "message"})
    CHECK(f.at(key).is_string());
  CHECK(f["space"] == e.space);
  if (e.access != "*") CHECK(f["access"] == e.access);
  if (e.access == "*") CHECK(std::set<json>{"read", "write", "atomic"}.contains(f["access"]));
  if (e.size != 0) CHECK(f.at("size") == e.size);
  CHECK(f.at("size").is_number_unsigned());
  CHECK(f["severity"] == (e.kind == std::string("leak") ? "note" : "error"));
  CHECK(f["kernel"].get<std::string>().find('(') == std::string::npos);
  if (e.on_device) CHECK_FALSE(f["kernel"].get<std::string>().empty());
  CHECK(f["file"] == e.file + ".cu");
  CHECK(std::count(program.lines.begin(), program.lines.end(), f.at("line").get<int>()) == 1);
  CHECK(is_index(f.at("block")));
  CHECK(is_index(f.at("thread")));
  CHECK(f.at("count").get<unsigned>() >= 1);
  const std::string message = f["message"];
  CHECK(message.size() > 20);
  CHECK(std::string(".?!").find(message.back()) != std::string::npos);
  CHECK(message.find("{other}") == std::string::npos);
  CHECK_FALSE(f.at("cure").get<std::string>().empty());
  CHECK_FALSE(f.contains("host_frames"));
  if (e.other) check_other(f, program, e.on_device);
  if (e.allocation) check_allocation(f);
  if (f.contains("stuck")) check_stuck(f);
}

}  // namespace

TEST_CASE("the report in JSON has every key for every kind of finding") {
  const std::vector<corpus::Program> all = corpus::read_programs(LADDER_CORPUS);
  std::set<std::string> kinds;
  std::size_t stuck = 0;
  for (const Expected& e : kExpected) {
    INFO(e.file << ": " << e.program);
    const corpus::Program& program = find(all, e);
    const corpus::Run run = corpus::run(LADDER_BINARY, LADDER_CORPUS, program);
    const json report = json::parse(run.json);
    CHECK(report.at("schema") == 1);
    INFO(report.at("findings").dump(1));
    const json* found = nullptr;
    for (const json& f : report["findings"])
      if (f.at("kind") == e.kind && found == nullptr) found = &f;
    REQUIRE(found != nullptr);
    check(*found, e, program);
    stuck += found->contains("stuck") ? 1U : 0U;
    kinds.insert(e.kind);
    for (const json& kernel : report.at("kernels")) {
      CHECK(kernel.at("name").is_string());
      CHECK(kernel.at("launch").get<int>() >= 1);
      CHECK(is_index(kernel.at("grid")));
      CHECK(is_index(kernel.at("block")));
      CHECK(kernel.at("modelled_ns").is_number());
      for (const char* counter :
           {"inst_executed", "thread_inst_executed", "global_load_requests", "global_load_sectors",
            "global_store_requests", "global_store_sectors", "global_atomic_requests",
            "global_atomic_sectors", "shared_load_requests", "shared_load_wavefronts",
            "shared_store_requests", "shared_store_wavefronts", "shared_atomic_requests", "branches",
            "divergent_branches", "barriers"})
        CHECK(kernel.at("counters").at(counter).is_number_unsigned());
    }
  }
  CHECK(kinds.size() == 13);
  CHECK(stuck > 0);
}
