#include "grader/present/findings/findings_view.h"

#include <catch2/catch_test_macros.hpp>

#include "grader/platform/files.h"
#include "simulator/report/wording/words.h"
#include "tests/grader/support/sample.h"

using namespace ladder::cli;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A race in line 2 of a file.
struct Race {
  sample::Tree tree;
  sim::Finding finding;
  Race() {
    const auto file = tree.project.root / "reduce.cu";
    write_file(file,
               "  for (int h = 256; h > 0; h >>= 1) {\n\tif (t < h) s[t] += s[t + h];  // pairs\n  }\n");
    finding.kind = sim::FindingKind::race;
    finding.space = sim::MemorySpace::shared;
    finding.symbol = "s[17]";
    finding.file = file.string();
    finding.line = 2;
    finding.column = 13;
    finding.message =
        sim::Message("thread {} writes it at line 2, and no barrier of the whole block lies between them.",
                     sim::OtherThread{});
    finding.other = sim::OtherParty{sim::AccessKind::write, 2, {}, {17, 0, 0}, {}, {}};
    finding.cure = sim::Cure::one_syncthreads;
  }
};

}  // namespace

TEST_CASE("a finding says what, where, who and why, shows the place, and names the cure") {
  Race race;
  race.finding.kernel = "reduce";
  race.finding.thread = {16, 0, 0};
  CHECK(joined(finding_lines(race.finding, Terminal())) ==
        "race in shared memory: s[17] at reduce.cu:2 (reduce)\n"
        "  thread (17,0,0) writes it at line 2, and no barrier of the whole block lies\n"
        "  between them.\n"
        "  block (0,0,0), thread (16,0,0)\n"
        "    1 |   for (int h = 256; h > 0; h >>= 1) {\n"
        "  > 2 |  if (t < h) s[t] += s[t + h];  // pairs\n"
        "      |             ^^^^^^^^^^^^^^^^\n"
        "  Usual cure: one __syncthreads() that all threads reach, outside the branch.\n");
}

TEST_CASE("the second party is named once, with its file where that is another one") {
  Race race;
  const auto detail = [&] { return sim::finding_detail(race.finding); };
  race.finding.thread = {16, 0, 0};
  race.finding.other = sim::OtherParty{sim::AccessKind::write, 5, {}, {17, 0, 0}, {}, "/include/pair.h"};
  CHECK(detail().ends_with("\nblock (0,0,0), thread (16,0,0)"));
  race.finding.message = "The block can never go on.";
  race.finding.other->access = sim::AccessKind::exit;
  CHECK(detail().ends_with("\nblock (0,0,0), thread (16,0,0); thread (17,0,0) leaves at pair.h:5"));
  race.finding.other->file = race.finding.file;
  race.finding.other->block = {1, 0, 0};
  CHECK(detail().ends_with("; block (1,0,0), thread (17,0,0) leaves at line 5"));
}

TEST_CASE("findings of the host have no thread, and a description is no variable's name") {
  Race race;
  race.finding.symbol = "byte 20 of 1048576 bytes from cudaMallocManaged #12";
  race.finding.host_frames = {"program+0x10"};
  const std::string text = joined(finding_lines(race.finding, Terminal()));
  CHECK(text.starts_with("race in shared memory at reduce.cu:2\n"));
  CHECK(text.find("block (") == std::string::npos);
  race.finding.host_frames.clear();
  race.finding.kind = sim::FindingKind::unsupported;
  race.finding.cure = sim::Cure::none;
  const auto lines = finding_lines(race.finding, Terminal());
  CHECK(joined(lines).find("block (") == std::string::npos);
  CHECK_FALSE(lines.back().empty());
}

TEST_CASE("errors come before notes, repeats are counted, and a long list is cut") {
  Race race;
  std::vector<sim::Finding> all(4, race.finding);
  all[0].severity = sim::Severity::note;
  all[1].count = 255;
  const std::string text = joined(findings_list(all, Terminal(), 2));
  CHECK(text.find("(note)") == std::string::npos);
  CHECK(text.find("\n  and 254 more like it\n") != std::string::npos);
  CHECK(text.find("and 2 more findings; --json lists them all") != std::string::npos);
}

TEST_CASE("of findings with one kind of cure the first tells it") {
  Race race;
  const std::string text = joined(findings_list({race.finding, race.finding}, Terminal()));
  CHECK(text.find("Usual cure") == text.rfind("Usual cure"));
}

TEST_CASE("where the access is in a header, the call is shown first and the header's line below it") {
  Race race;
  const auto header = race.tree.project.root / "pair.h";
  write_file(header, "inline void add(int* s) {\n  s[1] += s[2];\n}\n");
  race.finding.inside = {header.string(), 2};
  const std::string text = joined(finding_excerpt(race.finding, Terminal()));
  const std::size_t call = text.find("> 2 |  if (t < h)"), inside = text.find("which leads to pair.h:2:");
  CHECK(call < inside);
  CHECK(inside < text.find("> 2 |   s[1] += s[2];"));
}

TEST_CASE("the caret marks the access that went wrong, by its name or by what the line does") {
  Race race;
  race.finding.kind = sim::FindingKind::out_of_bounds;
  race.finding.column = 3;
  write_file(race.finding.file, "\n  out[i] = in[i + 1] * weights[k][i];\n");
  const auto caret = [&](const char* access, const char* symbol) {
    race.finding.access = sim::access_kind(access).value();
    race.finding.symbol = symbol;
    const std::string line = finding_excerpt(race.finding, Terminal()).at(2);
    return line.substr(line.find('|') + 2);
  };
  CHECK(caret("read", "in[2]") == "           ^^^^^^^^^");
  CHECK(caret("read", "weights[0][9]") == "                       ^^^^^^^^^^^^^");
  CHECK(caret("write", "") == "  ^^^^^^");
  CHECK(caret("read", "") == "  " + std::string(34, '^'));  // two are read: the statement
}

TEST_CASE("a long name of a kernel is cut to what a person reads") {
  using sim::readable_name;
  CHECK(readable_name("reduce_kernel<float, 256>") == "reduce_kernel<float, 256>");
  CHECK(readable_name("void cub::CUB_300001_SM_750::detail::scan::DeviceScanKernel<cub::Policy<int>, int*, "
                      "(bool)1>(T2, T3)") == "cub::DeviceScanKernel");
  CHECK(readable_name(
            "thrust::THRUST_200000_SM_900_NS::cuda_cub::core::_kernel_agent<Agent<int, long>, int*>") ==
        "thrust::_kernel_agent");
  CHECK(readable_name(
            "mine::(anonymous namespace)::a_kernel_with_a_long_name<std::integral_constant<int, 3> >") ==
        "mine::a_kernel_with_a_long_name");
}

TEST_CASE("a finding whose file is gone is shown without it") {
  Race race;
  race.finding.file = "/nowhere/reduce.cu";
  const std::string text = joined(finding_lines(race.finding, Terminal()));
  CHECK(text.find("reduce.cu:2") != std::string::npos);
  CHECK(text.find('^') == std::string::npos);
}

TEST_CASE("a heading that is longer than a line is wrapped") {
  Race race;
  race.finding.file = "/nowhere/" + std::string(70, 'x') + ".cu";
  const auto lines = finding_lines(race.finding, Terminal());
  CHECK(lines[0] == "race in shared memory: s[17] at");
  CHECK(lines[1].ends_with("x.cu:2"));
}

TEST_CASE("carets stand below what they mean in lines with tabs, other alphabets and too many columns") {
  Race race;
  const auto excerpt = [&](const std::string& line, int column) {
    write_file(race.finding.file, "\n" + line + "\n");
    race.finding.column = column;
    return finding_excerpt(race.finding, Terminal());
  };
  const auto tabs = excerpt("\t\ts[t] = 1;", 3);
  CHECK(tabs.at(1) == "  > 2 |   s[t] = 1;");
  CHECK(tabs.at(2) == "      |   ^^^^^^^^");
  const std::string comment = "/* \u00fcber \u2192 */ ";  // 3 bytes more than columns
  const auto letters = excerpt(comment + "s[t] = 1;", static_cast<int>(comment.size()) + 1);
  CHECK(letters.at(1) == "  > 2 | " + comment + "s[t] = 1;");
  CHECK(letters.at(2) == "      | " + std::string(comment.size() - 3, ' ') + "^^^^^^^^");
  const std::string before(120, 'x');
  const auto far = excerpt(before + " s[t] = 1;", 122);
  CHECK(far.at(1) == "  > 2 | …" + std::string(15, 'x') + " s[t] = 1;");
  CHECK(far.at(2) == "      | " + std::string(17, ' ') + "^^^^^^^^");
  const auto cut = excerpt("s[t] = " + before + ";", 1);
  CHECK(display_width(cut.at(1)) <= 80);
  CHECK(display_width(cut.at(2)) <= 80);
  for (const int column : {0, 1, 200})
    for (const auto& line : excerpt("   ", column)) CHECK(line.find('^') == std::string::npos);
}
