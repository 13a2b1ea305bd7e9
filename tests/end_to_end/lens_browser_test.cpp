// The lens's page in a real browser.
#include "browser.h"
#include "html.h"
#include "simulator/lens/page.h"

using end_to_end::Browser;

namespace {

/// A launch whose one line reads a tile in steps: lanes 4, 8, 16 and then 4 bytes apart.
sim::KernelRecord launch() {
  sim::AccessRecord access;
  access.space = sim::MemorySpace::shared;
  access.bytes = 4;
  for (const std::uint32_t cost : {1U, 2U, 4U, 1U}) {
    sim::AccessSample step;
    step.uses = 3;
    step.mask = ~0U;
    step.cost = cost;
    for (std::size_t lane = 0; lane < 32; ++lane)
      step.offset[lane] = static_cast<std::int64_t>(4 * cost * lane);
    access.steps.push_back(step);
    access.requests += step.uses;
    access.cost += step.uses * cost;
  }
  access.sample = access.steps[2];
  access.array = {"tile", 4, {32, 32}};
  sim::KernelRecord kernel;
  kernel.name = "sum_tile";
  kernel.grid = {4, 1, 1};
  kernel.block = {32, 1, 1};
  kernel.modelled_ns = 5000;
  kernel.bound = "shared wavefronts";
  kernel.lines = {{"sum.cu", 2, 40, 1280, {access}}};
  return kernel;
}

constexpr const char* kChosen =
    "document.querySelector('.steps input:checked').nextElementSibling.textContent";
constexpr const char* kShown =
    "[...document.querySelectorAll('.step')].filter(s => s.getClientRects().length).map(s => "
    "s.querySelector('p').textContent.slice(0, 11))";

}  // namespace

TEST_CASE("the lens's page is legible, and of an access's steps one is chosen by the arrow keys") {
  const std::string name = end_to_end::browser_or_skip();
  const ladder::cli::TemporaryFolder scratch(std::filesystem::temp_directory_path() / "ladder-lens-");
  const std::filesystem::path file = scratch.path() / "lens.html";
  ladder::cli::write_file(
      file,
      sim::lens::page_of("05.1", {launch()}, {{"sum.cu", {"{", "  sum += tile[step * threadIdx.x];", "}"}}}));
  CHECK(end_to_end::faults(ladder::cli::read_file(file)) == std::vector<std::string>());
  Browser browser(name);
  for (const int width : {390, 1024, 1440})
    for (const bool dark : {false, true}) {
      CAPTURE(width, dark);
      browser.size(width, 900, dark);
      browser.open("file://" + file.string());
      CHECK(browser.evaluate("getComputedStyle(document.body).backgroundColor") ==
            (dark ? "rgb(13, 17, 23)" : "rgb(255, 255, 255)"));
      CHECK(browser.evaluate(end_to_end::kBeyond) == nlohmann::json::array());
      CHECK(browser.evaluate(end_to_end::kTooSmall) == nlohmann::json::array());
      // On a phone the pictures come before the source.
      CHECK(browser.evaluate("document.querySelector('.two .figure').getBoundingClientRect().top < "
                             "document.querySelector('.code').getBoundingClientRect().top") ==
            (width < 1440));
      const nlohmann::json contrast = browser.evaluate(end_to_end::kContrast);
      CHECK(contrast["bad"] == nlohmann::json::array());
      CHECK(contrast["seen"].get<int>() > 30);
    }
  CHECK(browser.evaluate(kChosen) == "3");
  CHECK(browser.evaluate(kShown) == nlohmann::json{"Step 3 of 4"});
  browser.evaluate("document.querySelector('.steps input:checked').focus()");
  browser.press("ArrowLeft");
  CHECK(browser.evaluate(kChosen) == "2");
  CHECK(browser.evaluate(kShown) == nlohmann::json{"Step 2 of 4"});
  CHECK(browser.evaluate("document.querySelector('.figure p code').textContent") ==
        "tile[step * threadIdx.x]");
  CHECK(browser.trouble().empty());
}
