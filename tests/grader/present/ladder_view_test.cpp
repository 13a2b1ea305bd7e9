#include "grader/present/ladder_view.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/present/figures.h"
#include "grader/present/verdict_view.h"
#include "simulator/report/wording/words.h"
#include "tests/grader/support/sample.h"

using namespace ladder;
using namespace ladder::cli;

namespace {

const LessonInfo& lesson() {
  static const LessonInfo parsed = parse_lesson(sample::kLesson, "lessons/09_reduction/lesson.toml");
  return parsed;
}

Verdict passed(const std::string& rung, double ms, double share, bool modelled, double spread = 0.01) {
  Verdict verdict;
  verdict.lesson = "09_reduction";
  verdict.rung = rung;
  verdict.outcome = Outcome::passed;
  verdict.cases_passed = verdict.cases_total = 23;
  Timing timing;
  timing.median_ms = ms;
  timing.q1_ms = ms * (1 - spread);
  timing.q3_ms = ms * (1 + spread);
  timing.samples = 30;
  timing.modelled = modelled;
  timing.size = modelled ? "sum, n=4194304" : "sum, n=268435456";
  timing.speed_of_light = share;
  timing.bound = modelled ? "shared wavefronts" : "";
  verdict.timing = timing;
  return verdict;
}

Verdict wrong(const std::string& rung) {
  Verdict verdict;
  verdict.rung = rung;
  verdict.outcome = Outcome::wrong_values;
  verdict.headline = "wrong values: every element of the second half of the block is missing from the sum";
  verdict.detail = "sum, n=8\n  out[0] = 10, expected 36";
  verdict.advice = "Does the last step of the loop run?";
  return verdict;
}

Verdict without_idea(const std::string& rung) {
  Verdict verdict = passed(rung, 1.5, 0.2, true);
  verdict.outcome = Outcome::idea_missing;
  verdict.headline = "right answer, but the idea of rung 3 is missing: a column takes 32 wavefronts";
  verdict.idea.emplace();
  verdict.idea->works = false;
  verdict.idea->says = "a column takes 32 wavefronts";
  return verdict;
}

RunDevice simulator() { return {"H200", "simulator", "9.0", true, 7, 23, "sum, n=4194304", {}}; }
RunDevice gpu() { return {"NVIDIA H200", "gpu", "9.0", false, 7, 23, "sum, n=268435456", {}}; }

std::string on_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void check_width(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(display_width(line) <= 80);
  }
}

}  // namespace

TEST_CASE("a simulated ladder says that its times are modelled, and fits 80 columns") {
  const Terminal plain;
  LadderView view(lesson(), plain);
  std::vector<std::string> lines = view.head(simulator(), true);
  lines.push_back(view.row(passed("1_serial", 45.2, 0.002, true)));
  lines.push_back(view.row(wrong("3_interleaved")));
  lines.push_back(view.row(passed("10_warp_shuffle", 0.1234, 0.73, true)));
  check_width(lines);
  CHECK(on_lines(lines) ==
        "09 Reduction, timed at sum, n=4194304\n"
        "simulated H200, times modelled, not measured\n"
        "\n"
        "    rung                 time   × below  × first  speed of light      bound by\n"
        "  ✓  1 serial         45.2 ms         –    1.00×  ▏             0.2 % shared\n"
        "  ✗  3 interleaved   wrong values: every element of the second half of the bloc…\n"
        "  ✓ 10 warp shuffle    123 µs      366×     366×  █████████▌     73 % shared\n");
}

namespace {

/// 10_warp_shuffle was not recorded.
Recorded recorded() {
  Timing serial = *passed("1_serial", 80, 0.01, false).timing, interleaved = serial;
  interleaved.median_ms = 100;
  interleaved.q1_ms = 99;
  interleaved.q3_ms = 101;
  return {"NVIDIA H200", "2026-11-22", {{"1_serial", serial}, {"3_interleaved", interleaved}}};
}

}  // namespace

TEST_CASE(
    "what a GPU recorded stands in columns of its own beside modelled times, dated, and fits 80 columns") {
  const Terminal plain;
  LadderView view(lesson(), plain, recorded());
  std::vector<std::string> lines = view.head(simulator(), true);
  lines.push_back(view.row(passed("1_serial", 45.2, 0.002, true)));
  lines.push_back(view.row(passed("3_interleaved", 40.2, 0.002, true)));
  lines.push_back(view.row(passed("10_warp_shuffle", 0.1234, 0.73, true)));
  for (const std::string& line : view.foot()) lines.push_back(line);
  check_width(lines);
  CHECK(on_lines(lines) ==
        "09 Reduction, timed at sum, n=4194304\n"
        "simulated H200, times modelled, not measured\n"
        "\n"
        "                                                    recorded, H200, 2026-11-22\n"
        "    rung                time × below × first   light bound by     time × below\n"
        "  ✓  1 serial        45.2 ms       –   1.00×   0.2 % shared    80.0 ms       –\n"
        "  ✓  3 interleaved   40.2 ms   1.12×   1.12×   0.2 % shared     100 ms   0.80×\n"
        "  ✓ 10 warp shuffle   123 µs    326×    366×    73 % shared\n"
        "  recorded, H200, 2026-11-22: the lesson's solutions, measured at sum,\n"
        "  n=268435456; nothing of it is modelled\n"
        "  rule of thumb for bandwidth: 40 % is acceptable, 60 % good, 75 % excellent\n"
        "  warp shuffle reaches 73 %: good.\n");
  Terminal wide;
  wide.width = 100;
  LadderView broad(lesson(), wide, recorded());
  CHECK(on_lines(broad.head(simulator(), true)).find("speed of light") != std::string::npos);
}

TEST_CASE("a measured ladder shows nothing of another measurement") {
  const Terminal plain;
  LadderView bare(lesson(), plain), view(lesson(), plain, recorded());
  CHECK(on_lines(view.head(gpu(), true)) == on_lines(bare.head(gpu(), true)));
  const Verdict verdict = passed("1_serial", 45.2, 0.002, false);
  CHECK(view.row(verdict) == bare.row(verdict));
  CHECK(on_lines(view.foot()).find("recorded") == std::string::npos);
  view.head(simulator(), false);  // nor does a check that times nothing
  CHECK(on_lines(view.foot()).find("recorded") == std::string::npos);
}

TEST_CASE("one rung's recorded time is a sentence that names the device, the day and the size") {
  const Terminal plain;
  const std::vector<RungInfo>& rungs = lesson().rungs;
  CHECK(recorded_sentence(recorded(), lesson(), rungs[0], plain) ==
        "recorded, H200, 2026-11-22: 80.0 ms at sum, n=268435456");
  CHECK(recorded_sentence(recorded(), lesson(), rungs[1], plain) ==
        "recorded, H200, 2026-11-22: 100 ms at sum, n=268435456, 0.80× as fast as the rung below");
  CHECK(!recorded_sentence(recorded(), lesson(), rungs[2], plain));
}

TEST_CASE("a detour is marked in the ladder, and its reason stands below") {
  LessonInfo with = lesson();
  with.rungs[1].detour = "It is slower, and rung 10 is made of it.";
  const Terminal plain;
  LadderView view(with, plain);
  view.head(simulator(), true);
  CHECK(view.row(passed("1_serial", 45.2, 0.002, true)).find("↷") == std::string::npos);
  CHECK(view.foot().empty());
  CHECK(view.row(passed("3_interleaved", 46.2, 0.002, true)).find(" 3 interleaved ↷") != std::string::npos);
  CHECK(on_lines(view.foot()) == "  ↷ detour, 09.3 interleaved: It is slower, and rung 10 is made of it.\n");
}

TEST_CASE("a measured ladder shows its spread, the reference, baselines to beat and what is within noise") {
  const Terminal plain;
  LadderView view(lesson(), plain);
  std::vector<std::string> lines = view.head(gpu(), true);
  lines.push_back(view.reference_row(1200));
  lines.push_back(view.row(passed("1_serial", 45.2, 0.002, false, 0.002)));
  lines.push_back(view.row(passed("3_interleaved", 45.3, 0.002, false, 0.01)));
  Verdict shaky = passed("10_warp_shuffle", 0.24, 0.93, false, 0.01);
  shaky.timing->stable = false;
  lines.push_back(view.row(shaky));
  lines.push_back(view.baseline_row(passed("cub", 0.25, 0.9, false, 0.001)));
  for (const std::string& line : view.foot()) lines.push_back(line);
  check_width(lines);
  CHECK(on_lines(lines) ==
        "09 Reduction, timed at sum, n=268435456\n"
        "NVIDIA H200 (compute capability 9.0)\n"
        "\n"
        "    rung                 time      ±   × below  × first  speed of light\n"
        "    CPU reference      1.20 s\n"
        "  ✓  1 serial         45.2 ms  0.2 %         –    1.00×  ▏                 0.2 %\n"
        "  ✓  3 interleaved    45.3 ms  1.0 %   ≈ 1.00×    1.00×  ▏                 0.2 %\n"
        "  ✓ 10 warp shuffle   ~240 µs  1.0 %      189×     188×  ███████████████▊   93 %\n"
        "  ◆ cub                250 µs  0.1 %   to beat     181×  ███████████████▎   90 %\n"
        "  ≈ within noise: the quartiles of the two overlap\n"
        "  ~ unstable: the median moved by more than 0.5 % between runs\n"
        "  rule of thumb for bandwidth: 40 % is acceptable, 60 % good, 75 % excellent\n"
        "  warp shuffle reaches 93 %: excellent.\n"
        "  warp shuffle is 1.04× as fast as cub.\n");
}

TEST_CASE("rungs that do different things are groups of their own") {
  const Terminal plain;
  LadderView view(lesson(), plain);
  view.head(gpu(), true);
  view.row(passed("1_serial", 8.0, 0.1, false));
  Verdict other = passed("3_interleaved", 2.0, 0.5, false);
  other.timing->size = "max, n=7";
  CHECK(view.row(other) ==
        "    at max, n=7\n"
        "  ✓  3 interleaved    2.00 ms  1.0 %         –    1.00×  ████████▌          50 %");
  other.rung = "10_warp_shuffle";
  other.timing->median_ms = 1.0;
  CHECK(view.row(other).find("2.00×    2.00×") != std::string::npos);
  CHECK(on_lines(view.foot()).find("warp shuffle reaches 50 %") != std::string::npos);
}

TEST_CASE("the best rung is compared with the baseline that did the same") {
  const Terminal plain{};
  LadderView view(lesson(), plain);
  view.head(gpu(), true);
  view.row(passed("3_interleaved", 0.5, 0.9, false));
  Verdict other = passed("quick", 0.1, 0.9, false);
  other.timing->size = "something else";
  view.baseline_row(other);
  CHECK(on_lines(view.foot()).find("quick") == std::string::npos);
  view.baseline_row(passed("slow", 1.0, 0.9, false));
  CHECK(on_lines(view.foot()).find("as fast as slow") != std::string::npos);
}

TEST_CASE("without Unicode the ladder is ASCII") {
  Terminal ascii;
  ascii.unicode = false;
  LadderView view(lesson(), ascii);
  std::vector<std::string> lines = view.head(simulator(), true);
  lines.push_back(view.row(passed("1_serial", 0.0041, 0.5, true)));
  lines.push_back(view.row(wrong("3_interleaved")));
  check_width(lines);
  for (const char c : on_lines(lines)) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("colour changes nothing but the colours") {
  const Terminal plain;
  Terminal coloured;
  coloured.colour = true;
  LadderView one(lesson(), plain), other(lesson(), coloured);
  const auto strip = [](const std::string& text) { return without_controls(text); };
  CHECK(strip(on_lines(other.head(simulator(), true))) == on_lines(one.head(simulator(), true)));
  const std::string row = other.row(passed("1_serial", 45.2, 0.2, true));
  CHECK(row.find("\033[32m✓\033[0m") != std::string::npos);
  CHECK(strip(row) == one.row(passed("1_serial", 45.2, 0.2, true)));
}

TEST_CASE("a check without timing counts cases") {
  const Terminal plain;
  LadderView view(lesson(), plain);
  view.head(simulator(), false);
  Verdict verdict = passed("1_serial", 1, 0, true);
  verdict.timing.reset();
  CHECK(view.row(verdict) == "  ✓  1 serial        23 cases");
}

TEST_CASE("a failed rung is told with its tasks, its reason and what it printed") {
  const Terminal plain;
  Verdict verdict = wrong("3_interleaved");
  verdict.printed = {"debug: 3"};
  const VerdictView view{lesson(),
                         lesson().rungs[1],
                         verdict,
                         "lessons/09_reduction/3_interleaved.cu",
                         {{2, 14, 15, "add pairs."}},
                         false};
  const std::vector<std::string> lines = verdict_block(view, plain);
  check_width(lines);
  CHECK(on_lines(lines) ==
        "✗ 09.3 interleaved  lessons/09_reduction/3_interleaved.cu\n"
        "  TODO(2) is still to do.\n"
        "  wrong values: every element of the second half of the block is missing from\n"
        "  the sum\n"
        "  sum, n=8\n"
        "    out[0] = 10, expected 36\n"
        "\n"
        "  Does the last step of the loop run?\n"
        "\n"
        "  TODO(2) at lessons/09_reduction/3_interleaved.cu:14: add pairs.\n"
        "  printed by the code:\n"
        "    debug: 3\n");
}

TEST_CASE("a finding is shown at its line of the student's file") {
  const sample::Tree tree;
  tree.add_lesson("09_reduction");
  const Course course = load_course(tree.project);
  const LessonInfo& own = course.lessons[0];
  Verdict verdict;
  verdict.outcome = Outcome::finding;
  verdict.headline = "out-of-bounds read in kernel";
  sim::Finding finding;
  finding.kind = sim::FindingKind::out_of_bounds;
  finding.space = sim::MemorySpace::global;
  finding.file = "3_interleaved.cu";
  finding.line = 2;
  finding.thread = {5, 0, 0};
  finding.count = 3;
  finding.message = "The thread reads past the end of in.";
  finding.cure = sim::Cure::free_once;
  verdict.findings.push_back(finding);
  const VerdictView view{own, own.rungs[1], verdict, own.student_file(own.rungs[1]).string(), {}, false};
  const std::string text = on_lines(verdict_block(view, Terminal()));
  CHECK(text.find("> 2 | __global__ void kernel(") != std::string::npos);
  CHECK(text.find("    | ^^^^^") != std::string::npos);
  CHECK(text.find("  out-of-bounds in global memory at 3_interleaved.cu:2\n"
                  "  The thread reads past the end of in.\n"
                  "  block (0,0,0), thread (5,0,0)\n"
                  "  and 2 more like it\n") != std::string::npos);
  CHECK(text.find("\n  Usual cure: free once, with the function ") != std::string::npos);
}

TEST_CASE("a second finding is laid out as the first, each with its own line and cure") {
  const sample::Tree tree;
  tree.add_lesson("09_reduction");
  const Course course = load_course(tree.project);
  const LessonInfo& own = course.lessons[0];
  Verdict verdict;
  verdict.outcome = Outcome::finding;
  for (const int line : {2, 6}) {
    sim::Finding finding;
    finding.kind = sim::FindingKind::race;
    finding.space = sim::MemorySpace::shared;
    finding.kernel = "kernel";
    finding.file = "3_interleaved.cu";
    finding.line = line;
    finding.message = "Message " + std::to_string(line) + ".";
    finding.cure = {sim::Cure::free_at_end, {"cure " + std::to_string(line)}};
    verdict.findings.push_back(finding);
  }
  verdict.told_first = 0;
  verdict.headline = sim::finding_headline(verdict.findings[0]);
  verdict.detail = sim::finding_detail(verdict.findings[0]) + "\nWith n=8.";
  verdict.advice = sim::finding_cure(verdict.findings[0]);
  const VerdictView view{own, own.rungs[1], verdict, own.student_file(own.rungs[1]).string(), {}, false};
  const std::string text = on_lines(verdict_block(view, Terminal()));
  for (const int line : {2, 6}) {
    const std::string n = std::to_string(line);
    const std::size_t head = text.find("  race in shared memory at 3_interleaved.cu:" + n +
                                       " (kernel)\n  Message " + n + ".\n  block (0,0,0), thread (0,0,0)\n");
    REQUIRE(head != std::string::npos);
    const std::size_t excerpt = text.find("  > " + n + " | ", head),
                      cure = text.find("  Usual cure: cure " + n, head);
    CHECK(excerpt < cure);
    CHECK(cure != std::string::npos);
    CHECK(text.find("Message " + n, head + 80) == std::string::npos);
  }
  CHECK(text.find("cure 2") < text.find("Message 6"));
}

TEST_CASE("a rung that passes is told of threads that store one value to one place") {
  const sample::Tree tree;
  tree.add_lesson("09_reduction");
  const Course course = load_course(tree.project);
  const LessonInfo& own = course.lessons[0];
  Verdict verdict;
  verdict.outcome = Outcome::passed;
  sim::Finding note;
  note.kind = sim::FindingKind::race;
  note.severity = sim::Severity::note;
  note.symbol = "loss[0]";
  note.file = "3_interleaved.cu";
  note.line = 2;
  note.cure = sim::Cure::single_store;
  verdict.findings = {note};
  const VerdictView view{own, own.rungs[1], verdict, own.student_file(own.rungs[1]).string(), {}, false};
  CHECK(on_lines(verdict_block(view, Terminal())).find("race: loss[0] at 3_interleaved.cu:2 (note)") !=
        std::string::npos);
}

TEST_CASE("times and ratios have three digits and the right unit") {
  const Terminal plain;
  CHECK(time_text(0.0000008, plain) == "1 ns");
  CHECK(time_text(0.000812, plain) == "812 ns");
  CHECK(time_text(0.0009996, plain) == "1.00 µs");
  CHECK(time_text(0.00999, plain) == "9.99 µs");
  CHECK(time_text(0.009996, plain) == "10.0 µs");
  CHECK(time_text(0.9994, plain) == "999 µs");
  CHECK(time_text(45.23, plain) == "45.2 ms");
  CHECK(time_text(1234, plain) == "1.23 s");
  CHECK(time_text(0.0 / 0.0, plain) == "?");
  CHECK(ratio_text(0.98) == "0.98");
  CHECK(ratio_text(12.34) == "12.3");
  CHECK(ratio_text(1280.4) == "1280");
  CHECK(ratio_text(1.0 / 0.0) == "?");
  CHECK(percent_text(0.0014) == "0.1 %");
  CHECK(percent_text(0.00002) == "<0.1 %");
  CHECK(percent_text(0) == "0.0 %");
  CHECK(percent_text(0.9996) == "100 %");
}

TEST_CASE("counters become ratios a reader knows") {
  sim::KernelRecord record;
  record.name = "reduce_kernel";
  record.counters.inst_executed = 10;
  record.counters.thread_inst_executed = 160;
  record.counters.global_load_requests = 4;
  record.counters.global_load_sectors = 128;
  const auto lines = counter_lines({record, record});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "reduce_kernel: 32.0 sectors a global load, 16.0 of 32 lanes at work");
}

TEST_CASE("a rung bound by arithmetic is told its share of the units, not of the bandwidth") {
  const Terminal plain;
  LadderView view(lesson(), plain);
  view.head(gpu(), true);
  Verdict verdict = passed("1_serial", 45.2, 0.72, false);
  verdict.timing->roof = "fp32";
  view.row(verdict);
  const std::string foot = on_lines(view.foot());
  CHECK(foot.find("serial reaches 72 % of what single precision can do.") != std::string::npos);
  CHECK(foot.find("bandwidth") == std::string::npos);
}

TEST_CASE("a rung that is right without its idea keeps its times, with what is missing below them") {
  const Terminal plain;
  LadderView view(lesson(), plain);
  view.head(simulator(), true);
  view.row(passed("1_serial", 3, 0.1, true));
  const std::string row = view.row(without_idea("3_interleaved"));
  CHECK(row.find("1.50 ms") != std::string::npos);
  CHECK(row.find("2.00×") != std::string::npos);
  CHECK(row.find("\n      without its idea: a column takes 32 wavefronts") != std::string::npos);
  const VerdictView told{lesson(), lesson().rungs[1], without_idea("3_interleaved"), "3_interleaved.cu", {},
                         false};
  const std::string block = on_lines(verdict_block(told, plain));
  CHECK(block.find("right answer, but the idea of rung 3 is missing") != std::string::npos);
  CHECK(block.find("1.50 ms modelled") != std::string::npos);
}
