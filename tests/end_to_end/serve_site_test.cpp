// `ladder dev site`, of the checkout's own texts: whole pages whose links and pictures are there, and, in a
// real browser, legible at three widths, light and dark, with a search that is used by the keyboard alone.
#include <algorithm>
#include <set>

#include "grader/platform/files.h"
#include "tests/end_to_end/browser.h"
#include "tests/end_to_end/html.h"
#include "tests/end_to_end/ladder_run.h"

using namespace ladder::cli;
using end_to_end::Browser;
namespace fs = std::filesystem;

namespace {

/// The site, made once.
const fs::path& site() {
  static const TemporaryFolder folder(fs::temp_directory_path() / "ladder-site-");
  static const bool made = [] {
    std::string said;
    const auto status =
        run_process({{end_to_end::ladder_binary(), "dev", "site", folder.path().string()},
                     {{"LADDER_ROOT", LADDER_SOURCE_DIR}, {"LADDER_BUILD_DIR", LADDER_BUILD_DIR}}},
                    [&](std::string_view line) { said.append(line).push_back('\n'); });
    INFO(said);
    REQUIRE(status.ok());
    return true;
  }();
  REQUIRE(made);
  return folder.path();
}

struct Page {
  std::set<std::string> anchors;
  std::vector<std::string> links, pictures;
  std::vector<std::string> faults;
};

Page read_page(const std::string& html) {
  const end_to_end::Elements elements(html);
  Page page;
  page.faults = end_to_end::faults(html);
  for (const auto& [name, attributes] : elements.all) {
    const auto value = [&](const char* of) { return end_to_end::attribute(attributes, of); };
    if (const std::string id = value("id"); !id.empty()) page.anchors.insert(id);
    if (const std::string link = value("href"); !link.empty() && name == "a") page.links.push_back(link);
    if (const std::string source = value("src"); !source.empty()) page.pictures.push_back(source);
  }
  return page;
}

}  // namespace

TEST_CASE("the site has a page for each lesson and guide, whose links and pictures are there") {
  std::map<std::string, Page> pages;
  std::size_t largest = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(site())) {
    if (file.path().extension() != ".html") continue;
    const std::string html = read_file(file.path());
    largest = std::max(largest, html.size());
    pages[file.path().filename()] = read_page(html);
  }
  for (const fs::directory_entry& lesson : fs::directory_iterator(fs::path(LADDER_SOURCE_DIR) / "lessons"))
    if (lesson.is_directory()) CHECK(pages.contains(lesson.path().filename().string() + ".html"));
  for (const char* page : {"index.html", "student.html", "glossary.html", "instructor.html"})
    CHECK(pages.contains(page));
  CHECK(largest < 300'000);
  CHECK(fs::file_size(site() / "search.js") < 400'000);
  for (const auto& [name, page] : pages) {
    INFO(name);
    CHECK(page.faults == std::vector<std::string>());
    CHECK(page.links.size() > pages.size() / 2);  // the contents
    for (const std::string& link : page.links) {
      INFO(link);
      if (link.starts_with("https://")) continue;
      const std::size_t hash = link.find('#');
      const std::string file = hash == 0 ? name : link.substr(0, hash);
      REQUIRE(pages.contains(file));
      if (hash != link.npos) CHECK(pages.at(file).anchors.contains(link.substr(hash + 1)));
    }
    for (const std::string& picture : page.pictures) {
      INFO(picture);
      CHECK(fs::exists(site() / picture));
    }
  }
}

TEST_CASE("the site is legible at three widths, light and dark, and asks for nothing elsewhere") {
  Browser browser(end_to_end::browser_or_skip());
  for (const char* page : {"index.html", "05_transpose.html", "glossary.html"})
    for (const int width : {390, 1024, 1440})
      for (const bool dark : {false, true}) {
        CAPTURE(page, width, dark);
        browser.size(width, 900, dark);
        browser.open("file://" + (site() / page).string());
        CHECK(browser.evaluate("document.documentElement.scrollWidth <= innerWidth") == true);
        CHECK(browser.evaluate(end_to_end::kTooSmall) == nlohmann::json::array());
        const nlohmann::json contrast = browser.evaluate(end_to_end::kContrast);
        CHECK(contrast["bad"] == nlohmann::json::array());
        CHECK(contrast["seen"].get<int>() > 10);
      }
  CHECK(browser.trouble().empty());
  for (const std::string& request : browser.requests()) {
    CAPTURE(request);
    CHECK((request.starts_with("file://" + site().string()) || request.starts_with("data:")));
  }
}

/// Texts of a picture, a page of its own here, whose colour is too near to that of the shapes below them.
constexpr const char* kPictureContrast = R"js((() => {
  const parse = text => text.match(/[\d.]+/g).map(Number);
  const light = c => {
    const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const shapes = [...document.querySelectorAll('rect, path, circle')].filter(shape => !shape.closest('defs'));
  const bad = [];
  for (const text of document.querySelectorAll('text')) {
    if (!text.textContent.trim() || text.closest('[transform]')) continue;
    const box = text.getBBox(), at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
    let under = [255, 255, 255];
    for (const shape of shapes) {
      if (shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_PRECEDING) continue;
      const style = getComputedStyle(shape);
      if (style.fill === 'none' || !shape.isPointInFill(at)) continue;
      const part = style.fillOpacity * style.opacity, fill = parse(style.fill);
      under = under.map((below, i) => fill[i] * part + below * (1 - part));
    }
    const found = ratio(parse(getComputedStyle(text).fill), under);
    if (found < 4.5) bad.push(found.toFixed(2) + ' ' + text.textContent);
  }
  return bad;
})())js";

TEST_CASE("what is written in lessons' pictures stands out from what it stands on, light and dark") {
  Browser browser(end_to_end::browser_or_skip());
  std::size_t pictures = 0;
  for (const bool dark : {false, true}) {
    browser.size(1024, 900, dark);
    for (const fs::directory_entry& file :
         fs::recursive_directory_iterator(fs::path(LADDER_SOURCE_DIR) / "lessons")) {
      if (file.path().extension() != ".svg") continue;
      CAPTURE(file.path(), dark);
      ++pictures;
      browser.open("file://" + file.path().string());
      CHECK(browser.evaluate(kPictureContrast) == nlohmann::json::array());
    }
  }
  CHECK(pictures > 60);
}

TEST_CASE("the site's search finds sections, by the keyboard alone") {
  Browser browser(end_to_end::browser_or_skip());
  browser.size(1024, 900, false);
  browser.open("file://" + (site() / "index.html").string());
  browser.evaluate("document.querySelector('#search input').focus()");
  browser.call("Input.insertText", {{"text", "bank conflict"}});
  REQUIRE(browser.comes_true("document.querySelectorAll('#found a').length > 3"));
  browser.press("ArrowDown");
  CHECK(browser.evaluate("document.activeElement === document.querySelector('#found a')") == true);
  browser.press("Enter");
  REQUIRE(browser.comes_true("!location.href.includes('index.html') && document.readyState === 'complete'"));
  CHECK(browser.evaluate("document.body.innerText.toLowerCase().includes('bank conflict')") == true);
  browser.evaluate("document.querySelector('#search input').focus()");
  browser.call("Input.insertText", {{"text", "zzzzqqqq"}});
  CHECK(browser.comes_true("document.getElementById('found').innerText.includes('nothing found')"));
}
