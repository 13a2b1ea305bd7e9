// A timeline's rows, roles and words, in the terminal, as a picture and as JSON.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "simulator/lens/page.h"
#include "simulator/lens/timeline/timeline.h"
#include "simulator/report/json.h"

using namespace sim;
using namespace sim::lens;
using Catch::Matchers::ContainsSubstring;
using Kind = TimelineSpan::Kind;

namespace {

/// A ring: warp 4 copies, warps 0-3 multiply for @p work ns once a copy of @p copy ns has come, and then
/// free.
Timeline ring(int stages, int turns, double copy, double work) {
  Timeline t;
  t.warp_end_ns.resize(5);
  t.lines = {{"ring.cu", 7}};
  for (int i = 0; i < stages; ++i) t.stages.push_back("full[" + std::to_string(i) + "]");
  for (int i = 0; i < stages; ++i) t.stages.push_back("empty[" + std::to_string(i) + "]");
  std::vector<double> free(std::size_t(stages), 0.0);
  double producer = 0, consumer = 0;
  for (int k = 0; k < turns; ++k) {
    const int stage = k % stages;
    const double begin = std::max(producer, free[std::size_t(stage)]), come = begin + copy;
    if (begin > producer) t.spans.push_back({Kind::wait_stage, producer, begin, 4, stages + stage, 0});
    t.spans.push_back({Kind::copy, begin, come, 4, stage, 0});
    producer = begin + 1;
    for (std::uint32_t w = 0; w < 4; ++w) {
      if (come > consumer) t.spans.push_back({Kind::wait_stage, consumer, come, w, stage, 0});
      t.spans.push_back({Kind::product, std::max(come, consumer), std::max(come, consumer) + work, w, -1, 0});
    }
    consumer = free[std::size_t(stage)] = std::max(come, consumer) + work;
  }
  for (int w = 0; w < 4; ++w) t.warp_end_ns[std::size_t(w)] = consumer;
  t.warp_end_ns[4] = producer;
  std::stable_sort(t.spans.begin(), t.spans.end(),
                   [](const TimelineSpan& a, const TimelineSpan& b) { return a.begin_ns < b.begin_ns; });
  return t;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

std::size_t columns(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

TEST_CASE("warps that do the same are one role, named by what they do") {
  const std::vector<Role> roles = roles_of(ring(3, 12, 400, 100));
  REQUIRE(roles.size() == 2);
  CHECK(role_in_words(roles[0]) == "warps 0-3, multiply");
  CHECK(role_in_words(roles[1]) == "warp 4, copies");
}

TEST_CASE("rows are the stages in their order, and for each role what it does and its tensor cores") {
  const TimelineView view = view_of(ring(3, 12, 400, 100));
  std::vector<std::string> labels;
  for (const TimelineRow& row : view.rows) labels.push_back(row.label);
  CHECK(labels == std::vector<std::string>{"full[0]", "full[1]", "full[2]", "warps 0-3, multiply",
                                           "  tensor cores", "warp 4, copies"});
  CHECK(view.rows[0].spans.size() == 4);
}

TEST_CASE("a long block is shown until its ring has come round a few times") {
  const Timeline t = ring(2, 200, 400, 100);
  const TimelineView view = view_of(t);
  CHECK(view.shown_ns < view.end_ns / 10);
  CHECK_THAT(extent_in_words(t, view), ContainsSubstring("the first"));
  const Timeline few = ring(2, 4, 400, 100);
  CHECK(view_of(few).shown_ns == view_of(few).end_ns);
}

TEST_CASE("three stages that are not enough are told, with how many would be") {
  CHECK_THAT(joined(timeline_in_words(ring(3, 30, 400, 100))),
             ContainsSubstring("A copy takes at least 400 ns, a turn's work 100 ns.") &&
                 ContainsSubstring("3 stages cannot hide that, 5 could."));
  CHECK_THAT(joined(timeline_in_words(ring(5, 300, 400, 100))), ContainsSubstring("The copies keep up."));
}

TEST_CASE("who waits for what is told as shares of a role's time") {
  const std::string words = joined(timeline_in_words(ring(1, 50, 300, 100)));
  CHECK_THAT(words,
             ContainsSubstring("warps 0-3, multiply: 25 % of the time on the tensor cores, 75 % waiting "
                               "for copies."));
  CHECK_THAT(words, ContainsSubstring("waiting for a free stage"));
}

TEST_CASE("the terminal's picture has a row for each, letters for waits, and fits") {
  for (const bool unicode : {true, false}) {
    const auto lines = timeline_text(ring(2, 40, 400, 100), {false, unicode});
    for (const std::string& line : lines) {
      INFO(line);
      CHECK(columns(line) <= 80);
      if (!unicode) CHECK(columns(line) == line.size());
    }
    const auto row = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("warps 0-3, multiply  ") != line.npos;
    });
    REQUIRE(row != lines.end());
    CHECK_THAT(*row, ContainsSubstring("mmm") && ContainsSubstring(unicode ? "█" : "#"));
    CHECK_THAT(joined(lines), ContainsSubstring("modelled"));
  }
}

TEST_CASE("the page has the timeline where something runs beside the warps") {
  KernelRecord k;
  k.name = "ring";
  CHECK_THAT(page_of("t", {k}, {}), !ContainsSubstring("Timeline of"));
  k.timeline = ring(3, 12, 400, 100);
  CHECK_THAT(page_of("t", {k}, {}), ContainsSubstring("Timeline of block (0,0,0)") &&
                                        ContainsSubstring("copy, full[1]: 400 ns") &&
                                        ContainsSubstring("line 7"));
}

TEST_CASE("a timeline survives JSON, and one that is not to be believed is drawn all the same") {
  KernelRecord k;
  k.timeline = ring(2, 5, 400, 100);
  const KernelRecord back = nlohmann::json(k).get<KernelRecord>();
  CHECK(nlohmann::json(back) == nlohmann::json(k));
  k.timeline.spans.front().warp = 99;
  k.timeline.spans.front().stage = 99;
  k.timeline.spans.front().line = 99;
  CHECK(!timeline_text(k.timeline, {}).empty());
  CHECK(!timeline_svg(k.timeline).empty());
}
