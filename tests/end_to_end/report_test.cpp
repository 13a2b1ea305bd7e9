// `ladder report`: a page that needs nothing else, in order for every reader, and that a browser can show.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <regex>

#include "grader/course/text/skeleton.h"
#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "tests/end_to_end/html.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;

namespace {

/// A verdict with times, and a launch with one access, as the simulator gives them.
std::string timed_verdict(const std::string& rung, double ms, bool modelled) {
  const std::string time = std::to_string(ms);
  return "event '{\"event\":\"rung\",\"lesson\":\"09_reduction\",\"rung\":\"" + rung +
         "\",\"outcome\":\"passed\",\"headline\":\"\",\"detail\":\"\",\"advice\":\"\",\"cases_passed\":3,"
         "\"cases_total\":3,\"findings\":[],\"timing\":{\"median_ms\":" +
         time + ",\"q1_ms\":" + std::to_string(ms * 0.9) + ",\"q3_ms\":" + std::to_string(ms * 1.2) +
         ",\"samples\":10,\"stable\":true,\"modelled\":" + (modelled ? "true" : "false") +
         ",\"size\":\"n<8 & "
         "more\",\"gigabytes_per_s\":100,\"gigaflops_per_s\":25,\"speed_of_light\":0.5,\"bound\":"
         "\"DRAM\"},\"kernels\":[]}'\n";
}

struct Report {
  sample::Tree tree;
  std::string html;
  Report() {
    tree.add_lesson("09_reduction");
    const sample::FakeCmake cmake(tree, "exit 0\n");
    sample::add_runner(tree,
                       "event "
                       "'{\"event\":\"peaks\",\"read_gbs\":4500,\"copy_gbs\":4200,\"fp32_gflops\":60000,"
                       "\"modelled\":true}'\n" +
                           timed_verdict("1_serial", 250, true) + timed_verdict("3_interleaved", 1.5, true) +
                           timed_verdict("10_warp_shuffle", 0.012, true) + sample::kDone);
    REQUIRE(end_to_end::ladder(tree, {"run", "09", "--device", "sim"}).code == 0);
    REQUIRE(end_to_end::ladder(tree, {"report", "--out", file().string()}).code == 0);
    html = read_file(file());
  }
  std::filesystem::path file() const { return tree.project.root / "report.html"; }
};

}  // namespace

TEST_CASE("the report needs nothing but itself and is well formed") {
  const Report report;
  for (const char* outside : {"http:", "https:", "src=", "@import", "url(", "<script", "<link"}) {
    CAPTURE(outside);
    CHECK(report.html.find(outside) == std::string::npos);
  }
  std::string body = report.html.substr(report.html.find("</style>") + 8);
  body = "<html><head>" + body;  // the style's braces are no elements
  const end_to_end::Elements elements(body);
  CHECK(elements.mistake.empty());
  CHECK(end_to_end::faults(report.html) == std::vector<std::string>());
  // What is no tag and no entity was escaped.
  std::string text = std::regex_replace(body, std::regex("<[^>]*>"), "");
  CHECK(text.find('<') == std::string::npos);
  CHECK(std::regex_replace(text, std::regex("&(amp|lt|gt|quot|#[0-9]+);"), "").find('&') ==
        std::string::npos);
  CHECK(text.find("n&lt;8 &amp; more") != std::string::npos);
}

TEST_CASE(
    "the report is in order for a screen reader: language, one first heading, no level skipped, pictures in "
    "words") {
  const Report report;
  CHECK(report.html.find("<html lang=\"en\">") != std::string::npos);
  CHECK(report.html.find("<main") != std::string::npos);
  const end_to_end::Elements elements(report.html.substr(report.html.find("<body>")));
  int level = 0, first = 0;
  for (const auto& [name, attributes] : elements.all) {
    if (name.size() == 2 && name[0] == 'h' && std::isdigit(static_cast<unsigned char>(name[1]))) {
      const int next = name[1] - '0';
      first += next == 1;
      CHECK(next <= level + 1);
      level = next;
    }
    if (name == "svg") CHECK(attributes.find("role=\"img\"") != std::string::npos);
    if (name == "svg") CHECK(attributes.find("aria-label=") != std::string::npos);
    if (name == "th") CHECK(attributes.find("scope=") != std::string::npos);
    if (name == "progress") CHECK(attributes.find("aria-label=") != std::string::npos);
  }
  CHECK(first == 1);
  CHECK(report.html.find("aria-label=\"Ladder of Reduction at ") != std::string::npos);
  CHECK(report.html.find("aria-label=\"Roofline of H200; memory 4.") != std::string::npos);
  CHECK(report.html.find("; single precision 60.0 TFLOP/s; 09.1 serial: 0.025 TFLOP/s at 0.25 flop/B") !=
        std::string::npos);
}

TEST_CASE(
    "the report shows ladders, the roofline and where the figures come from, and says what is modelled") {
  const Report report;
  CHECK(report.html.find("Ladders, modelled") != std::string::npos);
  CHECK(report.html.find("times modelled, not measured") != std::string::npos);
  CHECK(report.html.find(">Spread<") == std::string::npos);  // which a model's times have not
  CHECK(report.html.find("Roofline of H200") != std::string::npos);
  CHECK(report.html.find(">60 TFLOP/s</text>") != std::string::npos);
  CHECK(report.html.find("CUDA Toolkit") != std::string::npos);
  CHECK(report.html.find("(older file)") == std::string::npos);
  write_file(report.tree.project.lessons() / "09_reduction" / "1_serial.cu", "// edited\n");
  REQUIRE(end_to_end::ladder(report.tree, {"report", "--out", report.file().string()}).code == 0);
  CHECK(read_file(report.file()).find("(older file)") != std::string::npos);
}

TEST_CASE("the report has the student's name, their own work first, and what is not begun last and small") {
  const Report report;
  report.tree.add_lesson("12_other");
  const auto made = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"report", "--out", report.file().string()};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(end_to_end::ladder(report.tree, words).code == 0);
    return read_file(report.file());
  };
  const std::string html = made({"--name", "Ada <L.>"});
  CHECK(html.find("Ada &lt;L.&gt;, 20") != std::string::npos);
  CHECK(html.find("<strong>3 of 6 rungs passed.</strong>") != std::string::npos);
  const std::size_t ladder = html.find("<section id=\"simulator\""),
                    progress = html.find("<section id=\"progress\"");
  CHECK(ladder < progress);
  CHECK(html.find("Not begun: 12 ") > progress);
  // A lesson with a ladder is begun, also where its progress was lost.
  std::filesystem::remove(report.tree.project.state() / "progress.json");
  CHECK(made({}).find("Not begun: 12 ") != std::string::npos);
  CHECK(made({"--name", ""}).find("<p>20") != std::string::npos);
}

TEST_CASE("a course that nothing was done in has a report, too") {
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const auto file = tree.project.root / "report.html";
  REQUIRE(end_to_end::ladder(tree, {"report", "--out", file.string()}).code == 0);
  CHECK(read_file(file).find("There is nothing to draw yet") != std::string::npos);
}

TEST_CASE("what passes while it is watched is in the report and under the roof") {
  sample::Tree tree;
  tree.add_lesson("09_reduction");
  const sample::FakeCmake cmake(tree, "exit 0\n");
  sample::add_runner(tree, "event '{\"event\":\"peaks\",\"read_gbs\":4500,\"fp32_gflops\":60000}'\n" +
                               timed_verdict("1_serial", 250, true) + sample::kDone);
  end_to_end::OnTerminal watch(tree, {"watch", "09.1", "--device", "sim"});
  REQUIRE(watch.wait_for_next("watching"));
  write_file(tree.project.lessons() / "09_reduction" / "1_serial.cu", "// mine\n");
  REQUIRE(watch.wait_for_next("passed in "));
  watch.type("q");
  REQUIRE(watch.finish().code == 0);
  CHECK(end_to_end::ladder(tree, {"roofline"}).has("1 time of 1 lesson, drawn in"));
  const auto file = tree.project.root / "report.html";
  REQUIRE(end_to_end::ladder(tree, {"report", "--out", file.string()}).code == 0);
  CHECK(read_file(file).find(">60 TFLOP/s</text>") != std::string::npos);
  CHECK(read_file(file).find("aria-label=\"Ladder of Reduction at ") != std::string::npos);
}

TEST_CASE("tidy finds no error in the report") {
  if (!capture({"tidy", "-v"}).status.ok()) SKIP("tidy is not installed");
  const Report report;
  const Captured said = capture({"tidy", "-q", "-e", report.file().string()});
  CAPTURE(said.output);
  CHECK(said.status.code <= 1);  // 1: warnings; it knows no font-family of SVG
}

TEST_CASE("a browser shows the report, wide, narrow and on paper") {
  std::string browser;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (browser.empty() && capture({name, "--version"}).status.ok()) browser = name;
  if (browser.empty()) SKIP("no Chromium is installed");
  const Report report;
  const auto show = [&](const std::vector<std::string>& more) {
    std::vector<std::string> argv = {browser, "--headless", "--no-sandbox", "--disable-gpu",
                                     "--user-data-dir=" + (report.tree.project.root / "browser").string()};
    argv.insert(argv.end(), more.begin(), more.end());
    argv.push_back("file://" + report.file().string());
    return capture(argv).status.ok();
  };
  for (const char* size : {"1200,900", "390,844"}) {
    const auto picture = report.tree.project.root / "page.png";
    REQUIRE(show({"--screenshot=" + picture.string(), std::string("--window-size=") + size}));
    CHECK(std::filesystem::file_size(picture) > 5000);
    std::filesystem::remove(picture);
  }
  const auto paper = report.tree.project.root / "page.pdf";
  REQUIRE(show({"--print-to-pdf=" + paper.string()}));
  CHECK(read_file(paper).starts_with("%PDF"));
}
