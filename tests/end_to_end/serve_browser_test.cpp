// The page in a real browser: each panel at three widths, light and dark; contrast as the WCAG compute it;
// the keyboard alone; what a save changes; and that nothing is asked for elsewhere.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "grader/platform/files.h"
#include "grader/protocol/verdict.h"
#include "tests/end_to_end/browser.h"
#include "tests/end_to_end/served.h"

using namespace ladder::cli;
using end_to_end::Browser;
using end_to_end::Served;

namespace {

constexpr const char* kRight =
    "// right\n__global__ void kernel(float* out) {\n  __shared__ float tile[32][32];\n  out[0] = "
    "tile[threadIdx.x][0];\n}\n";
constexpr const char* kRace =
    "// race\n__global__ void kernel(float* out) {\n  __shared__ float tile[32][32];\n  out[0] = "
    "tile[threadIdx.x][0];\n}\n";

ladder::Verdict verdict(const std::string& file, ladder::Outcome outcome) {
  ladder::Verdict verdict;
  verdict.lesson = "09_reduction";
  verdict.rung = "1_serial";
  verdict.outcome = outcome;
  verdict.cases_passed = verdict.cases_total = 3;
  if (outcome == ladder::Outcome::finding) {
    sim::Finding race;
    race.kind = sim::FindingKind::race;
    race.space = sim::MemorySpace::shared;
    race.kernel = "kernel";
    race.file = file;
    race.line = 4;
    race.symbol = "tile[1][0]";
    race.access = sim::AccessKind::read;
    race.other = sim::OtherParty{sim::AccessKind::write, 3, {0, 0, 0}, {1, 0, 0}, {}, file};
    race.cure = {sim::Cure::block_barrier, {}};
    race.message = "Thread (1,0,0) reads tile[1][0] before it was written.";
    verdict.findings = {race};
    verdict.told_first = 0;
    verdict.headline = "race in shared memory: tile[1][0] at 1_serial.cu:4 (kernel)";
    verdict.detail = "Thread (1,0,0) reads tile[1][0] before it was written.";
    verdict.advice = "Usual cure: a __syncthreads() between the two lines.";
    return verdict;
  }
  verdict.timing = ladder::Timing{};
  verdict.timing->median_ms = 0.025;
  verdict.timing->modelled = true;
  verdict.timing->size = "n=8";
  verdict.timing->speed_of_light = 0.24;
  sim::KernelRecord kernel;
  kernel.name = "kernel";
  kernel.grid = {64, 1, 1};
  kernel.block = {256, 1, 1};
  kernel.modelled_ns = 25'000;
  kernel.bound = "shared wavefronts";
  kernel.counters.inst_executed = 100;
  kernel.counters.thread_inst_executed = 3200;
  kernel.counters.shared_load_requests = 10;
  kernel.counters.shared_load_wavefronts = 320;
  sim::AccessRecord access;
  access.space = sim::MemorySpace::shared;
  access.bytes = 4;
  access.requests = 10;
  access.cost = 320;
  access.sample.uses = 10;
  access.sample.mask = 0xffffffffU;
  access.sample.cost = 32;
  for (std::size_t lane = 0; lane < 32; ++lane)
    access.sample.offset[lane] = static_cast<std::int64_t>(128 * lane);
  access.array = {"tile", 4, {32, 32}};
  sim::AccessRecord stepped = access;  // 4, 8, 16 bytes apart
  stepped.access = sim::AccessKind::write;
  for (std::uint32_t cost = 1; cost <= 4; cost *= 2) {
    stepped.sample.cost = cost;
    for (std::size_t lane = 0; lane < 32; ++lane)
      stepped.sample.offset[lane] = static_cast<std::int64_t>(4 * cost * lane);
    stepped.steps.push_back(stepped.sample);
  }
  sim::LineRecord line;
  line.file = file;
  line.line = 4;
  line.inst_executed = 100;
  line.thread_inst_executed = 3200;
  line.accesses = {access, stepped};
  kernel.lines = {line};
  verdict.kernels = {kernel};
  return verdict;
}

/// A runner that finds a race in a file that says so, and times what says "right".
void add_telling_runner(const Served& f) {
  const auto save = [&](const char* name, ladder::Outcome outcome) {
    nlohmann::json event = verdict(f.course.rung().string(), outcome);
    event["event"] = "rung";
    const auto file = f.course.tree.project.root / name;
    write_file(file, event.dump());
    return file.string();
  };
  sample::add_runner(
      f.course.tree,
      fmt::format("if grep -q race {}; then event \"$(cat {})\"; else event \"$(cat {})\"; fi\n",
                  f.course.rung().string(), save("race.json", ladder::Outcome::finding),
                  save("right.json", ladder::Outcome::passed)) +
          sample::kDone);
}

const std::vector<std::string> kPanels = {"lesson",   "source", "verdict", "lens",
                                          "timeline", "ladder", "hints"};

}  // namespace

TEST_CASE("each panel is whole and legible at three widths, light and dark") {
  const std::string name = end_to_end::browser_or_skip();
  const Served f;
  add_telling_runner(f);
  Browser browser(name);
  for (const char* source : {kRace, kRight}) {
    f.course.save(source);
    REQUIRE(f.becomes("panel/status", source == kRace ? "not passed" : "✓ passed"));
    for (const int width : {390, 1024, 1440})
      for (const bool dark : {false, true}) {
        browser.size(width, width == 390 ? 844 : 900, dark);
        browser.open(f.address());
        for (const std::string& panel : kPanels) {
          CAPTURE(source, width, dark, panel);
          const bool has_tab = width == 390 || (panel != "lesson" && panel != "source");
          if (has_tab) browser.evaluate("document.querySelector('.tab[data-tab=" + panel + "]').click()");
          CHECK(browser.evaluate("byId('" + panel + "').getBoundingClientRect().width").get<double>() > 250);
          CHECK(browser.evaluate("byId('" + panel + "').innerText.trim().length").get<int>() > 5);
          CHECK(browser.evaluate(end_to_end::kBeyond) == nlohmann::json::array());
          CHECK(browser.evaluate(end_to_end::kTooSmall) == nlohmann::json::array());
          // A line of the source is seen to its end, and so are the tabs.
          CHECK(browser.evaluate(
                    "[...document.querySelectorAll('.line code, #tabs')].filter(e => e.scrollWidth > "
                    "e.clientWidth + 1).length") == 0);
          const nlohmann::json contrast = browser.evaluate(end_to_end::kContrast);
          CHECK(contrast["bad"] == nlohmann::json::array());
          CHECK(contrast["seen"].get<int>() > 10);
          // Each control has room for a finger or a pointer: 24 pixels, by WCAG 2.2, 2.5.8; lines of a text
          // are exempt.
          CHECK(browser.evaluate(
                    "[...document.querySelectorAll('button')].filter(b => b.getClientRects().length && "
                    "!b.closest('.line, .todos, p') && (b.offsetHeight < 24 || b.offsetWidth < 24))"
                    ".map(b => b.textContent)") == nlohmann::json::array());
        }
      }
  }
  CHECK(browser.trouble().empty());
  for (const std::string& request : browser.requests()) {
    CAPTURE(request);
    CHECK((request.starts_with(f.address()) || request.starts_with("data:")));
  }
}

TEST_CASE("a save changes the open page: margin, verdict, map and lens, and leaves what was unfolded open") {
  const std::string name = end_to_end::browser_or_skip();
  const Served f;
  add_telling_runner(f);
  Browser browser(name);
  browser.size(1440, 900, false);
  browser.open(f.address());
  browser.evaluate("document.querySelector('#lesson details').open = true");
  f.course.save(kRace);
  REQUIRE(browser.comes_true("byId('verdict').innerText.includes('race in shared memory')"));
  REQUIRE(browser.comes_true("document.querySelector('.line.bad')"));
  CHECK(browser.evaluate("document.querySelectorAll('.line.bad')[1].innerText")
            .get<std::string>()
            .find("tile[threadIdx.x]") != std::string::npos);
  CHECK(browser.evaluate("document.querySelectorAll('.line.bad')[1].nextElementSibling.innerText") ==
        "Thread (1,0,0) reads tile[1][0] before it was written.");
  f.course.save(kRight);
  REQUIRE(browser.comes_true("byId('status').innerText === '✓ passed'"));
  CHECK(browser.comes_true("document.querySelector('#map .dot.passed')"));
  CHECK(browser.comes_true("!document.querySelector('.line.bad')"));
  CHECK(browser.comes_true("document.querySelectorAll('#lens .figure svg .letter').length === 128"));
  CHECK(browser.evaluate("document.querySelector('#lesson details').open") == true);
  CHECK(browser.trouble().empty());
}

TEST_CASE("a race is drawn, and under the lens another step between lanes can be tried") {
  const std::string name = end_to_end::browser_or_skip();
  const Served f;
  add_telling_runner(f);
  Browser browser(name);
  browser.size(1440, 900, false);
  browser.open(f.address());
  f.course.save(kRace);
  REQUIRE(browser.comes_true("document.querySelector('#verdict svg.finding')"));
  CHECK(browser.evaluate("document.querySelector('#verdict svg.finding').textContent")
            .get<std::string>()
            .find("line 3 writes") != std::string::npos);
  // Both lines' texts, and the barrier that is not there.
  CHECK(browser.evaluate(
            "[...document.querySelectorAll('#verdict svg.finding .code')].map(t => t.textContent)") ==
        nlohmann::json({"__shared__ float tile[32][32];", "out[0] = tile[threadIdx.x][0];"}));
  CHECK(browser.evaluate("document.querySelector('#verdict svg.finding').textContent")
            .get<std::string>()
            .find("no __syncthreads() between lines 3 and 4") != std::string::npos);
  CHECK(browser.evaluate("document.querySelectorAll('.line.bad').length") == 2);  // both sides of the race
  f.course.save(kRight);
  REQUIRE(browser.comes_true("document.querySelector('#lens form.whatif')"));
  browser.evaluate("document.querySelector('.tab[data-tab=lens]').click()");
  CHECK(browser.evaluate("document.querySelector('#lens svg rect title').textContent") ==
        "lane 0: tile[0][0], bank 0, pass 1");
  browser.evaluate(
      "document.querySelector('#lens form.whatif button').click()");  // 33 words, as it is proposed
  CHECK(
      browser.comes_true("document.querySelector('#lens form.whatif + div').innerText.includes('No bank has "
                         "to serve two words')"));
  browser.evaluate(
      "(() => { const box = document.querySelector('#lens form.whatif input'); box.value = 34; "
      "box.form.requestSubmit(); })()");
  CHECK(
      browser.comes_true("document.querySelector('#lens form.whatif + div').innerText.includes('2 passes')"));
  // What is said of the picture above stands above the box, not below the picture that was asked for.
  CHECK(browser.evaluate(
            "document.querySelector('#lens form.whatif').previousElementSibling.matches('.use')") == true);
  CHECK(browser.evaluate(
            "document.querySelector('#lens form.whatif + div h4').innerText.startsWith('34 words apart')") ==
        true);
  browser.evaluate(
      "document.querySelector('.line.bad, .line button[data-line=\"4\"]').dispatchEvent(new "
      "Event('mouseover', {bubbles: true}))");
  CHECK(browser.evaluate("!!document.querySelector('#lens .figure.aim')") == true);
  // Boxes to type in are seen, also beside an access that is shown step by step; and a click on a step moves
  // nothing else: where the browser brings the hidden button into view, the whole page went with it.
  REQUIRE(browser.evaluate("document.querySelectorAll('#lens .steps > label').length").get<int>() > 1);
  CHECK(browser.evaluate("[...document.querySelectorAll('#lens form.whatif input')].filter(box => "
                         "box.getClientRects().length && (getComputedStyle(box).opacity != 1 || "
                         "box.offsetWidth < 40)).length") == 0);
  browser.evaluate("document.querySelector('#lens .steps > label').click()");
  CHECK(browser.evaluate("document.querySelector('#lens .steps > input').checked") == true);
  CHECK(browser.evaluate("document.scrollingElement.scrollHeight - innerHeight").get<int>() <= 0);
  CHECK(browser.evaluate("scrollY") == 0);
  CHECK(browser.trouble().empty());
}

TEST_CASE("a picture of the lesson is shown whole over the page, by a click or by the Enter key") {
  const std::string name = end_to_end::browser_or_skip();
  const Served f;
  Browser browser(name);
  browser.size(1440, 900, false);
  browser.open(f.address());
  const auto shown = [&] {
    return browser.evaluate("document.querySelectorAll('dialog[open] img[alt]').length").get<int>();
  };
  browser.evaluate("document.querySelector('#lesson .picture').click()");
  CHECK(shown() == 1);
  browser.press("Escape");
  CHECK(browser.comes_true("!document.querySelector('dialog')"));
  CHECK(browser.evaluate("document.activeElement.matches('#lesson .picture')") == true);
  browser.press("Enter");
  CHECK(shown() == 1);
  browser.evaluate("document.querySelector('dialog').click()");
  CHECK(browser.comes_true("!document.querySelector('dialog')"));
  CHECK(browser.trouble().empty());
}

TEST_CASE("the page is used by keyboard alone") {
  const std::string name = end_to_end::browser_or_skip();
  const Served f;
  Browser browser(name);
  browser.size(1440, 900, false);
  browser.open(f.address());
  const auto focused = [&](const std::string& selector) {
    return browser.evaluate("document.activeElement.matches('" + selector + "')") == true;
  };
  const auto tab_to = [&](const std::string& selector) {
    for (int i = 0; i < 60; ++i) {
      if (focused(selector)) {
        // Where one is has to be seen.
        CHECK(browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none");
        return true;
      }
      browser.press("Tab");
    }
    return false;
  };
  REQUIRE(tab_to(".skip"));
  REQUIRE(tab_to("#map .dot[aria-current]"));
  browser.press("ArrowRight");
  CHECK(focused("#map .dot[data-go=\"09.3\"]"));
  browser.press("Enter");
  REQUIRE(browser.comes_true("document.title.startsWith('09.3 interleaved')"));
  REQUIRE(tab_to(".tab[data-tab=verdict]"));
  for (int i = 0; i < 4; ++i) browser.press("ArrowRight");
  CHECK(focused(".tab[data-tab=hints]"));
  browser.press("Enter");
  CHECK(browser.evaluate("byId('hints').offsetParent !== null") == true);
  REQUIRE(tab_to("#lesson .predictions input"));
  browser.call("Input.insertText", {{"text", "8"}});
  browser.press("Enter");
  CHECK(browser.comes_true("byId('lesson').innerText.includes('you said 8')"));
  REQUIRE(tab_to("#lesson summary"));
  browser.press("Enter");
  CHECK(browser.evaluate("document.querySelector('#lesson details').open") == true);
  REQUIRE(tab_to(".line.todo button"));  // of the source only marked lines are stops
  browser.press("ArrowDown");
  CHECK(focused(".line button"));
  browser.press("Enter");
  CHECK(f.opened() != "");
  REQUIRE(tab_to("[data-do=hint]"));
  browser.press("Enter");
  CHECK(browser.comes_true("byId('hints').innerText.includes('Halve.')"));
  CHECK(browser.trouble().empty());
}

TEST_CASE("a page of another site can neither show this one nor read it nor change anything") {
  const std::string name = end_to_end::browser_or_skip();
  const Served f;
  Browser browser(name);
  // The attacker knows even the token.
  const auto evil = f.course.tree.project.root / "evil.html";
  write_file(evil, "<iframe src=\"" + f.address() + "\"></iframe><img src=\"" + f.address() +
                       "picture/09_reduction/tile.svg\"><script src=\"" + f.address() +
                       "screen.js\"></script><form method=\"post\" action=\"" + f.address() +
                       "open?line=3\"></form>");
  browser.open("file://" + evil.string());
  CHECK(browser.evaluate("typeof aimAt") == "undefined");
  CHECK(browser.evaluate("document.images[0].naturalWidth") == 0);
  const std::string go = f.address() + "open?line=3";
  CHECK(browser.evaluate("fetch('" + f.address() + "').then(() => 'read', () => 'refused')") == "refused");
  CHECK(browser.evaluate(
            "fetch('" + go +
            "', {method: 'POST', headers: {'X-Ladder': '1'}}).then(() => 'sent', () => 'refused')") ==
        "refused");
  browser.evaluate("fetch('" + go + "', {method: 'POST', mode: 'no-cors'}).then(() => 1, () => 0)");
  browser.evaluate("navigator.sendBeacon('" + go + "', 'x')");
  CHECK(browser.evaluate("new Promise(then => { const e = new EventSource('" + f.address() +
                         "events'); e.onopen = () => then('open'); e.onerror = () => then('refused'); })") ==
        "refused");
  browser.evaluate("document.forms[0].submit()");
  REQUIRE(browser.comes_true("document.body.innerText.includes('This is not for you')"));
  CHECK_FALSE(std::filesystem::exists(f.course.tree.project.root / "opened"));
}
