// Pictures of accesses, text and page, and the sentence that says why a kernel is slow.
#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/lens/explain.h"
#include "simulator/lens/expression.h"
#include "simulator/lens/page.h"
#include "simulator/lens/picture.h"
#include "simulator/lens/svg.h"
#include "simulator/lens/text.h"

using namespace sim;
using namespace sim::lens;
using Catch::Matchers::ContainsSubstring;

namespace {

/// All lanes, @p stride bytes apart, a million requests at @p cost each.
AccessRecord strided(const std::string& space, const std::string& access, std::uint32_t bytes, int stride,
                     std::uint32_t cost) {
  const AccessKind kind = access == "load"    ? AccessKind::read
                          : access == "store" ? AccessKind::write
                                              : AccessKind::atomic;
  AccessRecord a;
  a.space = memory_space(space).value();
  a.access = kind;
  a.bytes = bytes;
  a.requests = a.sample.uses = 1'000'000;
  a.cost = a.requests * cost;
  a.sample.mask = ~0u;
  a.sample.cost = cost;
  for (int i = 0; i < 32; ++i) a.sample.offset[std::size_t(i)] = std::int64_t{stride} * i;
  return a;
}

KernelRecord kernel_with(std::vector<AccessRecord> accesses, const std::string& bound) {
  KernelRecord k;
  k.name = "transpose_kernel";
  k.grid = {64, 64, 1};
  k.block = {32, 8, 1};
  k.modelled_ns = 1e6;
  k.bound = bound;
  LineRecord line{"transpose.cu", 2, 4'000'000, 128'000'000, std::move(accesses)};
  k.lines.push_back(line);
  return k;
}

int used_cells(const Picture& p) {
  int n = 0;
  for (const Row& row : p.rows)
    n += int(std::count_if(row.cells.begin(), row.cells.end(),
                           [](const Cell& c) { return c.state == Cell::State::used; }));
  return n;
}

}  // namespace

TEST_CASE("neighbouring words fill one line of memory and waste nothing") {
  const Picture p = picture_of(strided("global", "load", 4, 4, 4));
  REQUIRE(p.rows.size() == 1);
  CHECK(used_cells(p) == 32);
  CHECK(p.useful_bytes == 128);
  CHECK(p.moved_bytes == 128);
  CHECK(p.rows[0].cells[31].lane == 31);
}

TEST_CASE("words 4096 bytes apart move a sector each, an eighth of it of use") {
  const AccessRecord a = strided("global", "store", 4, 4096, 32);
  const Picture p = picture_of(a);
  CHECK(p.rows.size() == 32);
  CHECK(p.moved_bytes == 32 * 32);
  CHECK(p.useful_bytes == 128);
  CHECK(p.ideal == 4);
  CHECK(p.rows[1].label == 4096);
  CHECK(p.rows[0].cells[1].state == Cell::State::wasted);
  CHECK(p.rows[0].cells[8].state == Cell::State::untouched);
  CHECK(pattern_in_words(a) == "neighbouring threads write addresses 4096 bytes apart");
}

TEST_CASE("a column of 32 words takes 32 passes over one bank, a padded one takes one") {
  const Picture column = picture_of(strided("shared", "load", 4, 128, 32));
  CHECK(column.banks);
  CHECK(column.rows.size() == 32);
  for (const Row& row : column.rows) CHECK(row.cells[0].lanes == 1);
  CHECK(picture_of(strided("shared", "load", 4, 132, 1)).rows.size() == 1);
}

TEST_CASE("a picture of wide loads has as many passes as the counter counts") {
  CHECK(picture_of(strided("shared", "load", 16, 0, 2)).rows.size() == 2);   // all lanes the same 16 bytes
  CHECK(picture_of(strided("shared", "load", 16, 0, 2)).ideal == 2);         // which is as good as it gets
  CHECK(picture_of(strided("shared", "load", 16, 16, 4)).rows.size() == 4);  // side by side: by quarters
  CHECK(picture_of(strided("shared", "load", 8, 8, 2)).rows.size() == 2);
  CHECK(picture_of(strided("shared", "store", 16, 0, 4)).rows.size() == 4);
}

TEST_CASE("lanes that read one word share its cell") {
  const Picture p = picture_of(strided("shared", "load", 4, 0, 1));
  REQUIRE(p.rows.size() == 1);
  CHECK(p.rows[0].cells[0].lanes == 32);
  CHECK(pattern_in_words(strided("shared", "load", 4, 0, 1)) == "all threads read one address");
}

TEST_CASE("a cell is called what the source calls the element, as far as the array reaches") {
  AccessRecord column = strided("shared", "load", 4, 132, 1);
  column.sample.first = 512;
  column.array = {"tile", 4, {32, 33}, 512 - (2 * 132 + 4)};
  CHECK(picture_of(column).rows.at(0).cells[0].element == "tile[2][1]");
  CHECK(picture_of(column).rows[0].cells[31].element.empty());  // row 33
  CHECK_THAT(svg_of(column), ContainsSubstring("<title>lane 0: tile[2][1], bank 0, pass 1</title>"));

  AccessRecord halves = strided("global", "load", 2, 2, 2);
  halves.sample.first = 0x7'0000'0080;
  halves.array = {"in", 2, {65}, 0x7'0000'0080 - 64};
  const Picture line = picture_of(halves);
  CHECK(line.rows.at(0).element == "in[32]");
  CHECK(line.rows[0].cells[0].element == "in[32] and in[33]");
  CHECK(line.rows[0].cells[16].element.empty());  // does not move
  CHECK(label_of(line, line.rows[0], 11) == "in[32]");
  CHECK(label_of(line, line.rows[0], 5) == "[32]");
  CHECK(label_of(line, line.rows[0], 3) == "+0");
}

TEST_CASE("an access's index is what its line has behind the array's name, where that is one") {
  AccessRecord read = strided("global", "load", 4, 4, 4), write = strided("global", "store", 4, 4, 4);
  read.array = write.array = {"s", 4, {64}};
  CHECK(expression_in("out[i] = s[row[j] * 2 + i];", read) == "s[row[j] * 2 + i]");
  CHECK(expression_in("tile[y][x] = s[i][j + 1];", read) == "s[i][j + 1]");
  CHECK(expression_in("s[t] = s[t + step];", read) == "s[t + step]");
  CHECK(expression_in("s[t] = s[t + step];", write) == "s[t]");
  CHECK(expression_in("s[t] += s[t];", read) == "s[t]");
  CHECK(expression_in("s[t] += s[t + step];", read).empty());  // which of the two is not known
  CHECK(expression_in("if (sums[t] == as[t]) x = *s;", read).empty());
  CHECK(expression_in("x = y;  // of s[t]", read).empty());
  CHECK(expression_in("s[first +", read).empty());
}

TEST_CASE("of an access in steps the worst is shown, and the others are chosen") {
  AccessRecord steps = strided("shared", "load", 4, 16, 7);
  for (const auto& [stride, cost] : {std::pair{4, 1U}, {8, 2U}, {16, 4U}, {8, 2U}})
    steps.steps.push_back(strided("shared", "load", 4, stride, cost).sample);
  steps.steps[1].uses = 1;
  CHECK(worst_step(steps) == 2);
  CHECK(at_step(steps, steps.steps[1]).cost == 2);
  const KernelRecord kernel = kernel_with({steps}, "shared wavefronts");
  const std::string page = page_of("05.1", {kernel}, {});
  CHECK_THAT(page, ContainsSubstring(R"(id="k0s1i3" checked>)"));
  CHECK_THAT(page, ContainsSubstring(R"(<label for="k0s1i2" style="--cost:0.50">)"));
  CHECK_THAT(page,
             ContainsSubstring("Step 2 of 4, once in this block: shared load, 4 bytes a lane: 2 wavefronts a "
                               "request, 1 would do; neighbouring threads read addresses 8 bytes apart"));
  const std::vector<std::string> text = text_of(kernel, {}, {});
  CHECK(std::count(text.begin(), text.end(), "      │   step by step, wavefronts: 1 2 \033[1m[4]\033[0m 2") ==
        0);
  CHECK(std::count(text.begin(), text.end(), "      │   step by step, wavefronts: 1 2 [4] 2") == 1);
}

TEST_CASE("the worst access is named with its line, its cost and what would do") {
  const auto why = explain(
      {kernel_with({strided("global", "load", 4, 4, 4), strided("global", "store", 4, 4096, 32)}, "L2")});
  REQUIRE(why);
  CHECK(why->line == 2);
  CHECK(why->sentence ==
        "32 sectors per request where 4 would do: neighbouring threads write addresses 4096 bytes apart, "
        "line 2");
}

TEST_CASE("the eight accesses of an unrolled loop are one waste, and those behind it come last") {
  const AccessRecord bad = strided("global", "load", 4, 4096, 32),
                     store = strided("global", "store", 4, 4096, 32);
  AccessRecord rest = strided("global", "load", 4, 4, 4);
  rest.requests = 1;
  std::vector<AccessRecord> accesses = {rest};
  for (int k = 0; k < 8; ++k) accesses.insert(accesses.end(), {bad, store});
  const KernelRecord kernel = kernel_with(accesses, "L2");
  const std::vector<SimilarAccesses> shown = similar_accesses(kernel.lines[0]);
  REQUIRE(shown.size() >= 2);
  CHECK(shown.front().count == 8);
  CHECK(shown.back().requests == 1);
  REQUIRE(explain({kernel}));
  CHECK_THAT(explain({kernel})->sentence, ContainsSubstring("32 sectors per request where 4 would do"));
}

TEST_CASE("nothing is said of a kernel that wastes nothing") {
  CHECK_FALSE(explain({kernel_with({strided("global", "load", 4, 4, 4)}, "DRAM")}));
  CHECK_FALSE(explain({}));
}

TEST_CASE("few lanes at work are said where instructions take the time") {
  KernelRecord k = kernel_with({strided("global", "load", 4, 4, 4)}, "issue");
  k.lines[0].thread_inst_executed = k.lines[0].inst_executed * 8;
  const auto why = explain({k});
  REQUIRE(why);
  CHECK_THAT(why->sentence, ContainsSubstring("8 of 32 lanes at work on average, line 2"));
}

TEST_CASE("lines of another file are shown with that file's text, and not with the kernel's") {
  KernelRecord k = kernel_with({strided("global", "load", 4, 4, 4)}, "L2");
  k.lines.push_back({"transpose.cu", 3, 10, 320, {}});
  k.lines.push_back({"tools.h", 1, 4'000'000, 128'000'000, {strided("shared", "load", 4, 4, 1)}});
  const Sources sources = {{"transpose.cu", {"a();", "b();", "c();"}}, {"tools.h", {"helper();"}}};
  std::string all;
  for (const std::string& line : text_of(k, sources, {false, true})) all += line + "\n";
  CHECK_THAT(all, ContainsSubstring("in tools.h"));
  CHECK_THAT(all, ContainsSubstring("1 │ helper();"));
  const std::string page = page_of("a", {k}, sources);
  CHECK_THAT(page, ContainsSubstring("tools.h:1</a>helper();"));
}

TEST_CASE("accesses of an unrolled loop that look the same are shown once, with their number") {
  const AccessRecord one = strided("global", "load", 4, 4, 4);
  const KernelRecord k = kernel_with({one, one, one, strided("global", "load", 4, 4096, 32)}, "L2");
  const auto folded = similar_accesses(k.lines[0]);
  REQUIRE(folded.size() == 2);
  CHECK(folded[0].count == 3);
  std::string all;
  for (const std::string& line : text_of(k, {}, {false, true})) all += line + "\n";
  CHECK_THAT(all, ContainsSubstring("3 alike: neighbouring threads read neighbouring addresses"));
}

TEST_CASE("steps of a trace with the same lanes become one stretch") {
  const auto all =
      stretches({{"a.cu", 3, ~0u, 2}, {"a.cu", 5, ~0u, 3}, {"a.cu", 6, 1u, 1}, {"b.h", 9, 1u, 1}});
  REQUIRE(all.size() == 3);
  CHECK(lines_in_words(all[0], "a.cu") == "3-5");
  CHECK(all[0].instructions == 5);
  CHECK(lines_in_words(all[2], "a.cu") == "b.h:9");
}

TEST_CASE("a warp's life is cut into bins, with the part of each that every lane was at work") {
  const std::vector<TraceStep> trace = {{"a.cu", 3, ~0u, 4}, {"a.cu", 5, 1u, 2}, {"a.cu", 6, 0xFFFFu, 2}};
  CHECK(diverged(trace));
  CHECK_FALSE(diverged({trace[0]}));
  const Activity life = activity_of(trace, 2);
  REQUIRE(life.bins.size() == 2);
  CHECK(life.instructions == 8);
  CHECK(life.average == Catch::Approx((4 * 32 + 2 * 1 + 2 * 16) / 8.0));
  CHECK(life.lanes[0] == Catch::Approx(32));
  CHECK(life.lanes[1] == Catch::Approx(8.5));
  CHECK(life.bins[1][0] == Catch::Approx(1));
  CHECK(life.bins[1][15] == Catch::Approx(0.5));
  CHECK(life.bins[1][16] == Catch::Approx(0));
  CHECK(activity_of(trace, 100).bins.size() == 8);
  CHECK(activity_of({}, 100).bins.empty());
  CHECK_THAT(svg_of(life), ContainsSubstring("20.2 of 32 lanes at work"));
}

TEST_CASE("what is wasted is said in words, and nothing where nothing is") {
  CHECK(waste_in_words(picture_of(strided("global", "load", 4, 32, 32))) ==
        "128 of 1024 bytes moved are of use: 12 %");
  CHECK(waste_in_words(picture_of(strided("shared", "load", 4, 128, 32))) ==
        "32 passes, one after the other, where 1 would do");
  CHECK(waste_in_words(picture_of(strided("global", "load", 4, 4, 4))).empty());
  CHECK(waste_in_words(picture_of(strided("shared", "load", 4, 4, 1))).empty());
}

TEST_CASE("lanes at work with idle ones between them have a pattern, too") {
  AccessRecord quarter = strided("global", "store", 4, 4, 4);
  quarter.sample.mask = 0x11111111u;
  CHECK(pattern_in_words(quarter) == "one thread of 4 writes, and the next 16 bytes further");
  AccessRecord squeezed = strided("global", "store", 4, 4, 4);  // each writes behind the one before
  squeezed.sample.mask = 0b110011u;
  squeezed.sample.offset[4] = 8;
  squeezed.sample.offset[5] = 12;
  CHECK(pattern_in_words(squeezed) == "neighbouring threads write neighbouring addresses");
}

TEST_CASE("a picture by itself is one SVG with its own colours and a heading for each panel") {
  const std::string svg = svg_file("Rows & columns", {{"Rung 1", strided("global", "store", 4, 4096, 32)},
                                                      {"Rung 3", strided("shared", "load", 4, 132, 1)}});
  CHECK_THAT(svg, ContainsSubstring("<title>Rows &amp; columns</title>"));
  CHECK_THAT(svg, ContainsSubstring("Rung 1"));
  CHECK_THAT(svg, ContainsSubstring("and 24 more like these"));
  CHECK_THAT(svg, ContainsSubstring("--used:"));
  CHECK(svg.find("<svg", 1) == svg.npos);
}

TEST_CASE("a warp at a glance is a picture by itself, without the legend of cells") {
  Activity life{{}, {1.0, 16.0}, 8.5, 2};
  life.bins.resize(2);
  life.bins[0].fill(1);
  const std::string svg = svg_file("Warps", {{"Rung 1", life}});
  CHECK_THAT(svg, ContainsSubstring("2 instructions: 8.5 of 32 lanes at work"));
  CHECK_THAT(svg, ContainsSubstring("lane 24"));
  CHECK_THAT(svg, !ContainsSubstring("A cell is four bytes"));
}

namespace {

std::string why(const KernelRecord& k) {
  const auto found = explain({k});
  return found ? found->sentence : "";
}

}  // namespace

TEST_CASE("bank conflicts, atomics, spills, bytes and too few warps each have their sentence") {
  KernelRecord conflicts = kernel_with({strided("shared", "load", 4, 128, 32)}, "shared wavefronts");
  CHECK_THAT(why(conflicts),
             ContainsSubstring("32 wavefronts per request where 1 would do (bank conflicts)"));

  KernelRecord atomics = kernel_with({strided("global", "atomic", 4, 0, 1)}, "atomics");
  atomics.counters.global_atomic_sectors = atomics.model.same_address_atomics = 1'000'000;
  CHECK_THAT(why(atomics),
             ContainsSubstring("atomic updates of the same address are done one after the other"));

  AccessRecord local = strided("local", "load", 4, 4, 32);
  CHECK_THAT(why(kernel_with({local}, "L2")), ContainsSubstring("32000000 sectors of local memory, line 2"));

  AccessRecord bytes = strided("global", "load", 1, 1, 1);
  CHECK_THAT(why(kernel_with({bytes}, "latency")),
             ContainsSubstring("1 byte a lane and request where 16 would do"));

  KernelRecord few = kernel_with({strided("global", "load", 4, 4, 4)}, "latency");
  few.grid = {40, 1, 1};
  CHECK_THAT(why(few), ContainsSubstring("2.4 warps on an SM where 64 fit"));
  CHECK_THAT(why(few), ContainsSubstring("the grid is too small"));
  KernelRecord last = few;  // behind another launch, to take in what that one's blocks left
  last.grid = {1, 1, 1};
  const KernelRecord before = kernel_with({strided("global", "load", 4, 4, 1)}, "DRAM");
  const auto both = explain({before, last});
  REQUIRE(both);
  CHECK_THAT(both->sentence, ContainsSubstring("the last launch has one block"));
  few.grid = {4000, 1, 1};
  few.model.shared_bytes = 100 * 1024;
  CHECK_THAT(why(few), ContainsSubstring("shared memory allow no more"));
}

TEST_CASE("shares of the time add up to one") {
  const KernelRecord k = kernel_with({strided("shared", "load", 4, 128, 32)}, "shared wavefronts");
  double sum = 0;
  for (double s : shares(k)) sum += s;
  CHECK(std::abs(sum - 1) < 1e-9);
}

TEST_CASE("the text fits 80 columns, with and without Unicode, and has no colour unless asked") {
  KernelRecord k =
      kernel_with({strided("global", "store", 4, 4096, 32), strided("shared", "load", 4, 128, 32)}, "L2");
  k.trace = {
      {"transpose.cu", 2, ~0u, 5}, {"transpose.cu", 2, 0xFFFFu, 3}, {"scan_of_columns.h", 2, 0xFFFF0000u, 4}};
  const Sources source = {
      {"transpose.cu",
       {"// first", "\tout[c * rows + r] = in[r * cols + c];  // für " + std::string(60, 'x')}}};
  for (const bool unicode : {true, false}) {
    std::string all;
    for (const std::string& line : text_of(k, source, {false, unicode})) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
      INFO(line);
      CHECK(columns <= 80);
      CHECK(line.find('\033') == line.npos);
      if (!unicode && line.find("für") == line.npos)
        CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c > 0; }));
      all += line + "\n";
    }
    CHECK_THAT(all, ContainsSubstring("32 sectors a request, 4 would do"));
    CHECK_THAT(all, ContainsSubstring("32 wavefronts a request, 1 would do"));
    CHECK_THAT(all, ContainsSubstring("16 x 3"));
  }
  const auto coloured = text_of(k, source, {true, true});
  CHECK(std::any_of(coloured.begin(), coloured.end(),
                    [](const std::string& s) { return s.find("\033[") != s.npos; }));
}

TEST_CASE("the page holds everything it needs and escapes what it quotes") {
  KernelRecord k = kernel_with({strided("global", "load", 4, 128, 32)}, "L2");
  k.name = "f<int>";
  const std::string page =
      page_of("05.1 naive", {k}, {{"transpose.cu", {"#include <a.h>", "x = a < b && c;"}}});
  CHECK_THAT(page, ContainsSubstring("f&lt;int&gt;"));
  CHECK_THAT(page, ContainsSubstring("x = a &lt; b &amp;&amp; c;"));
  CHECK_THAT(page, ContainsSubstring("prefers-color-scheme: dark"));
  CHECK(page.find("src=") == page.npos);  // nothing from elsewhere
  CHECK(page.find("@import") == page.npos);
  CHECK(page.find("<script") == page.npos);
  std::size_t opened = 0, closed = 0;
  for (std::size_t at = 0; (at = page.find("<svg", at)) != page.npos; ++at) ++opened;
  for (std::size_t at = 0; (at = page.find("</svg>", at)) != page.npos; ++at) ++closed;
  CHECK(opened == 1);
  CHECK(closed == opened);
}
