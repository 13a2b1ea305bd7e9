// Findings as pictures: what they show, and that nothing is drawn where nothing is known.
#include "simulator/lens/finding/picture.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "simulator/lens/page.h"

using namespace sim;
using Catch::Matchers::ContainsSubstring;
using sim::lens::svg_of;
using sim::lens::text_of;
using Lines = std::vector<std::string>;

namespace {

Finding race() {
  Finding finding;
  finding.kind = FindingKind::race;
  finding.space = MemorySpace::shared;
  finding.access = AccessKind::read;
  finding.line = 28;
  finding.thread = {0, 1, 0};
  finding.symbol = "tile[1]";
  finding.message = "Thread (1,0,0) writes tile[1] at line 19 & thread (0,1,0) reads it.";
  finding.other = OtherParty{AccessKind::write, 19, {0, 0, 0}, {1, 0, 0}, {}, {}};
  return finding;
}

Finding out_of_bounds(const std::string& symbol, const std::string& extent) {
  Finding finding;
  finding.kind = FindingKind::out_of_bounds;
  finding.access = AccessKind::write;
  finding.line = 7;
  finding.symbol = symbol;
  finding.cure = {Cure::check_index_of, {symbol, extent}};
  return finding;
}

}  // namespace

TEST_CASE("a race is drawn as two threads, two lines and the word that they meet at") {
  const std::string svg = svg_of(race());
  CHECK_THAT(svg, ContainsSubstring("thread (1,0,0)</text>") && ContainsSubstring("line 19 writes") &&
                      ContainsSubstring("thread (0,1,0)</text>") && ContainsSubstring("line 28 reads") &&
                      ContainsSubstring(">tile[1]</text>") && ContainsSubstring("nothing orders the two"));
  CHECK_THAT(svg, ContainsSubstring("<title>") && ContainsSubstring("at line 19 &amp; thread"));
  Finding far = race();
  far.other->block = {3, 0, 0};
  CHECK_THAT(svg_of(far), ContainsSubstring("block (3,0,0), thread (1,0,0)</text>"));
}

TEST_CASE("a race is drawn with both lines' texts, and with the barrier that is missing between them") {
  Finding finding = race();
  finding.file = finding.other->file = "transpose.cu";
  finding.cure = {Cure::block_barrier, {}};
  lens::Sources sources;
  std::vector<std::string>& lines = sources["transpose.cu"];
  lines.resize(28);
  lines[18] = "  if (row < rows) tile[y] = in[row];";
  lines[27] =
      "    out[static_cast<std::size_t>(out_row) * rows + out_column_of_the_block] = tile[x];  // turned";
  const std::string svg = svg_of(finding, sources);
  CHECK_THAT(svg, ContainsSubstring(">if (row &lt; rows) tile[y] = in[row];</text>") &&
                      ContainsSubstring("no __syncthreads() between lines 19 and 28"));
  CHECK_THAT(svg,
             ContainsSubstring(">…") && ContainsSubstring("= tile[x];"));  // what it is about, of a long line
  finding.other->line = 30;                                                // which a loop leads back from
  CHECK_THAT(svg_of(finding), ContainsSubstring("no __syncthreads() between the two"));
  finding.cure = {Cure::atomics_or_launches, {}};
  CHECK(svg_of(finding).find("__syncthreads") == std::string::npos);
}

TEST_CASE("an access out of bounds is drawn as the array's end and the place past it") {
  const std::string svg = svg_of(out_of_bounds("out[1024]", "out has 1024 elements: [1024]"));
  CHECK_THAT(svg, ContainsSubstring(">1023</text>") && ContainsSubstring(">1024</text>") &&
                      ContainsSubstring("line 7 writes 1024; the last one is 1023"));
  CHECK_THAT(svg_of(out_of_bounds("in[1][0]", "in is [1][1]")),
             ContainsSubstring("in[1][0], first index") && ContainsSubstring("the last one is 0"));
  CHECK_THAT(svg_of(out_of_bounds("in[0][9]", "in is [1][4]")), ContainsSubstring("in[0][9], second index"));
  CHECK_THAT(svg_of(out_of_bounds("in[-1]", "in is [4]")), ContainsSubstring(">-1</text>"));
  CHECK_THAT(svg_of(out_of_bounds("in[0]", "in is [0]")), ContainsSubstring("there is none"));
}

TEST_CASE("memory without a name is drawn in bytes") {
  Finding finding = out_of_bounds("", "");
  finding.cure = {};
  finding.in_buffer = BufferBytes{4096, AllocationName{"cudaMalloc #1", 0, 4096, {}, {}, 0, {}}};
  CHECK_THAT(svg_of(finding),
             ContainsSubstring("cudaMalloc #1, byte") && ContainsSubstring("the last one is 4095"));
  // The cure is of the formula, and names neither element nor extent.
  finding.cure = {Cure::correct_index_of, {"", "4096 bytes"}};
  finding.in_buffer->buffer.variable = "v.d_b";
  CHECK_THAT(svg_of(finding), ContainsSubstring("v.d_b, byte"));
  finding.kind = FindingKind::uninitialized;
  finding.in_buffer->offset = 20;
  CHECK_THAT(svg_of(finding),
             ContainsSubstring("v.d_b, byte 20") && ContainsSubstring("nobody has written it"));
}

TEST_CASE("threads that do not meet at a barrier are drawn apart") {
  Finding finding = race();
  finding.kind = FindingKind::barrier;
  finding.access = AccessKind::barrier;
  finding.other->access = AccessKind::exit;
  CHECK_THAT(svg_of(finding), ContainsSubstring("line 28 waits") && ContainsSubstring("line 19 leaves") &&
                                  ContainsSubstring("do not meet"));
}

TEST_CASE("a block that cannot go on is drawn as who waits for what, and who has left") {
  Finding finding;
  finding.kind = FindingKind::barrier;
  finding.stuck = {{"threads 0-30 of warp 0", AccessKind::barrier, "a.cu", 12, "barrier 0"},
                   {"thread 31 of warp 0", AccessKind::exit, "a.cu", 9, ""}};
  CHECK_THAT(svg_of(finding),
             ContainsSubstring("threads 0-30 of warp 0</text>") && ContainsSubstring("line 12 waits") &&
                 ContainsSubstring(">barrier 0</text>") && ContainsSubstring("line 9 leaves"));
  CHECK(text_of(finding, {}) == Lines{"      threads 0-30 of warp 0  line 12 waits ───▶ barrier 0",
                                      "      thread 31 of warp 0     line 9 leaves"});
  finding.stuck.front().wanted =
      "mbarrier full[2] to end phase 3 (parity 1): 1 of 2 arrivals is missing, it expects 32768 bytes";
  CHECK(text_of(finding, {.unicode = false}) ==
        Lines{"      threads 0-30 of warp 0  line 12 waits",
              "         ---> mbarrier full[2] to end phase 3 (parity 1): 1 of 2 arrivals is",
              "              missing, it expects 32768 bytes",
              "      thread 31 of warp 0     line 9 leaves"});
}

TEST_CASE("what nobody has written is drawn with who reads it") {
  Finding finding = race();
  finding.kind = FindingKind::uninitialized;
  CHECK_THAT(svg_of(finding), ContainsSubstring(">tile[1]</text>") &&
                                  ContainsSubstring("nobody has written it") &&
                                  ContainsSubstring("line 28 reads"));
  CHECK(text_of(finding, {}) == Lines{"      tile[1]               ───▶ line 28 reads",
                                      "      nobody has written it      thread (0,1,0)"});
  finding.symbol.clear();
  CHECK(text_of(finding, {}).empty());
}

TEST_CASE("a terminal has the same pictures") {
  CHECK(text_of(race(), {}) == Lines{"      thread (1,0,0)", "      line 19 writes ───▶ tile[1]",
                                     "      ╌╌╌╌╌╌╌╌╌╌╌ nothing orders the two ╌╌╌╌╌╌╌╌╌╌╌",
                                     "                          tile[1] ───▶ line 28 reads",
                                     "                                       thread (0,1,0)"});
  CHECK(text_of(out_of_bounds("out[1024]", "out has 1024 elements: [1024]"), {}) ==
        Lines{"      out[1024]", "      … │ 1019 │ 1020 │ 1021 │ 1022 │ 1023 ┃ 1024",
              "      line 7 writes 1024; the last one is 1023 ▲"});
  CHECK(text_of(out_of_bounds("in[-1]", "in is [4]"), {.unicode = false}) ==
        Lines{"      in[-1]", "      -1 # 0 | 1 | 2 | 3", "      ^ line 7 writes -1; the last one is 3"});
  CHECK(text_of(out_of_bounds("in[-3]", "in is [9]"), {}) ==
        Lines{"      in[-3]", "      -3 … ┃ 0 │ 1 │ 2 │ 3 │ 4 │ …",
              "      ▲ line 7 writes -3; the last one is 8"});
  CHECK(text_of(out_of_bounds("in[7]", "in is [2]"), {}) ==
        Lines{"      in[7]", "      0 │ 1 ┃ … 7", "                ▲ line 7 writes 7; the last one is 1"});
  CHECK(text_of(out_of_bounds("in[0]", "in is [0]"), {}) ==
        Lines{"      in[0]", "        ┃ 0", "          ▲ line 7 writes 0; there is none"});
  Finding apart = race();
  apart.kind = FindingKind::barrier;
  apart.access = AccessKind::barrier;
  apart.other->access = AccessKind::exit;
  CHECK(text_of(apart, {}) == Lines{"      thread (0,1,0)                     thread (1,0,0)",
                                    "      line 28 waits   ╌╌ do not meet ╌╌  line 19 leaves"});
  CHECK_THAT(text_of(race(), {.colour = true}).at(1), ContainsSubstring("\033[31mtile[1]\033[0m"));
}

TEST_CASE("where a finding tells too little there is no picture") {
  Finding finding = race();
  finding.other.reset();
  CHECK(svg_of(finding).empty());
  CHECK(svg_of(out_of_bounds("s[4]", "more than there are")).empty());
  CHECK(svg_of(out_of_bounds("s[i]", "s is [4]")).empty());
  CHECK(svg_of(out_of_bounds("s[2]", "s is [4]")).empty());  // the cell is within the array
  finding.kind = FindingKind::assert;
  CHECK(svg_of(finding).empty());
  CHECK(text_of(finding, {}).empty());
}

TEST_CASE("a page shows the findings that can be drawn, and there is none without") {
  Finding other = race();
  other.kind = FindingKind::assert;
  const std::string page = sim::lens::page_of("05.2 shared tile", {other, race()});
  CHECK_THAT(page, ContainsSubstring("<title>05.2 shared tile</title>") &&
                       ContainsSubstring("<svg class=\"finding\"") &&
                       ContainsSubstring("race in shared memory: tile[1]"));
  CHECK(sim::lens::page_of("05.2 shared tile", std::vector<Finding>{other}).empty());
}
