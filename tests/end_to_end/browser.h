// A real Chromium without a window, told what to do through its debugging pipe.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/process/subprocess.h"

namespace end_to_end {

/// The browser's name; empty where there is none.
inline std::string chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (ladder::cli::capture({name, "--version"}).status.ok()) return name;
  return {};
}

inline std::string browser_or_skip() {
  const std::string name = chromium();
  if (name.empty()) SKIP("no Chromium is installed");
  return name;
}

/// Texts whose colour is too near to what they stand on, by WCAG 2.1, 1.4.3: less than 4.5, or 3 where they
/// are large. SVG letters stand on rectangles of their own picture, which have CSS colours of their own; they
/// are looked at apart.
inline constexpr const char* kContrast = R"js((() => {
  const parse = text => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return text.startsWith('color(') ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = c => {
    const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const ground = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      layers.unshift(parse(style.backgroundColor));
      // The bar of a line: its darkest is what a text may stand on.
      const bar = style.backgroundImage.match(/gradient\([^,]*,\s*(color\([^)]*\)|rgba?\([^)]*\))/);
      if (bar) layers.push(parse(bar[1]));
    }
    const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return layers.reduce((below, top) => over(top, below), canvas);
  };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || element.closest('script, style, .letter, title')) continue;
    if (!element.getClientRects().length || getComputedStyle(element).visibility === 'hidden') continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ink = parse(element.closest('svg') ? style.fill : style.color), under = ground(element);
    const found = ratio(over(ink, under), under);
    ++seen;
    if (found < (large ? 3 : 4.5)) bad.push(found.toFixed(2) + ' ' + walk.currentNode.data.trim().slice(0, 40));
  }
  for (const letter of document.querySelectorAll('svg .letter')) {
    const cell = letter.previousElementSibling;
    if (!cell || !letter.getClientRects().length) continue;
    ++seen;
    const found = ratio(parse(getComputedStyle(letter).fill), parse(getComputedStyle(cell).fill));
    if (found < 4.5) bad.push(found.toFixed(2) + ' letter ' + letter.textContent);
  }
  return { seen, bad };
})())js";

/// Letters of a picture that are smaller than one reads, and pictures that are shown smaller than they were
/// drawn.
inline constexpr const char* kTooSmall = R"js((() => {
  const small = [];
  for (const text of document.querySelectorAll('svg text')) {
    if (!text.getClientRects().length) continue;
    const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    if (size < 9.5) small.push(size.toFixed(1) + ' ' + text.textContent);
  }
  for (const picture of document.images)
    if (picture.getClientRects().length && picture.clientWidth < picture.naturalWidth - 1)
      small.push(picture.clientWidth + ' of ' + picture.naturalWidth + ' ' + picture.alt);
  return small;
})())js";

/// What of a page lies beyond the window's edge, other than within what scrolls by itself.
inline constexpr const char* kBeyond = R"js((() => {
  const beyond = [];
  for (const element of document.querySelectorAll('body *')) {
    if (!element.getClientRects().length) continue;
    const box = element.getBoundingClientRect();
    if (box.right <= innerWidth + 1 && box.left >= -1) continue;
    let held = false;
    for (let e = element.parentElement; e && !held; e = e.parentElement)
      held = e !== document.body && e !== document.documentElement && /auto|scroll|hidden/.test(getComputedStyle(e).overflowX);
    if (!held && getComputedStyle(element).position !== 'absolute') beyond.push(element.tagName + '.' + element.className);
  }
  return beyond.concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []);
})())js";

/// One tab. What a page asks for and what goes wrong in it is kept.
class Browser {
 public:
  explicit Browser(const std::string& name)
      : profile_(std::filesystem::temp_directory_path() / "ladder-browser-"), process_(options(name)) {
    to_.read.reset();
    from_.write.reset();
    const nlohmann::json targets = call("Target.getTargets").at("targetInfos");
    for (const nlohmann::json& target : targets)
      if (target.at("type") == "page" && session_.empty())
        session_ = call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
                       .at("sessionId");
    for (const char* domain : {"Page", "Runtime", "Network", "Log"}) call(std::string(domain) + ".enable");
  }

  /// A method of the Chrome DevTools protocol. @return its result
  nlohmann::json call(const std::string& method,
                      const nlohmann::json& parameters = nlohmann::json::object()) {
    nlohmann::json message = {{"id", ++last_}, {"method", method}, {"params", parameters}};
    if (!session_.empty()) message["sessionId"] = session_;
    REQUIRE(ladder::write_wholly(to_.write.get(), message.dump() + '\0'));
    for (;;) {
      nlohmann::json answer = next();
      if (answer.value("id", 0) != last_) {
        note(answer);
        continue;
      }
      INFO(method << ": " << answer.dump());
      REQUIRE(answer.contains("result"));
      return answer["result"];
    }
  }

  /// The value of an expression of the page; promises are waited for.
  nlohmann::json evaluate(const std::string& expression) {
    const nlohmann::json result = call(
        "Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
    INFO(expression);
    INFO(result.dump());
    REQUIRE_FALSE(result.contains("exceptionDetails"));
    return result.at("result").contains("value") ? result["result"]["value"] : nlohmann::json();
  }

  /// Whether an expression becomes true within ten seconds.
  bool comes_true(const std::string& expression) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (evaluate("!!(" + expression + ")") != true) {
      if (std::chrono::steady_clock::now() > end) return false;
      ::usleep(20'000);
    }
    return true;
  }

  void size(int width, int height, bool dark) {
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    call("Emulation.setEmulatedMedia",
         {{"features", {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}}}});
  }

  /// Shows a page, and waits until it is whole.
  void open(const std::string& address) {
    call("Page.navigate", {{"url", address}});
    REQUIRE(comes_true("document.readyState === 'complete' && location.href !== 'about:blank'"));
  }

  /// Presses a key that has a name, such as "Tab", "Enter" or "ArrowRight".
  void press(const std::string& key, bool shift = false) {
    static const std::map<std::string, int> codes = {{"Tab", 9},      {"Enter", 13},      {"ArrowLeft", 37},
                                                     {"ArrowUp", 38}, {"ArrowRight", 39}, {"ArrowDown", 40},
                                                     {" ", 32},       {"Escape", 27}};
    nlohmann::json event = {{"key", key},
                            {"code", key == " " ? "Space" : key},
                            {"windowsVirtualKeyCode", codes.at(key)},
                            {"modifiers", shift ? 8 : 0},
                            {"type", "keyDown"}};
    if (key == "Enter") event["text"] = "\r";
    call("Input.dispatchKeyEvent", event);
    event["type"] = "keyUp";
    event.erase("text");
    call("Input.dispatchKeyEvent", event);
  }

  const std::vector<std::string>& requests() const { return requests_; }  ///< addresses that pages asked for
  const std::vector<std::string>& trouble() const { return trouble_; }  ///< exceptions, and what was refused

 private:
  ladder::SubprocessOptions options(const std::string& name) const {
    ladder::SubprocessOptions options;
    options.argv = {name,
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--remote-debugging-pipe",
                    "--user-data-dir=" + profile_.path().string(),
                    "about:blank"};
    options.descriptors = {{3, to_.read.get()}, {4, from_.write.get()}};
    options.output = silent_.get();
    options.own_group = true;
    return options;
  }

  nlohmann::json next() {
    for (std::size_t end; (end = received_.find('\0')) == std::string::npos;) {
      char bytes[65536];
      const ssize_t n = ::read(from_.read.get(), bytes, sizeof bytes);
      REQUIRE(n > 0);
      received_.append(bytes, static_cast<std::size_t>(n));
    }
    const std::size_t end = received_.find('\0');
    nlohmann::json message = nlohmann::json::parse(received_.substr(0, end));
    received_.erase(0, end + 1);
    return message;
  }

  void note(const nlohmann::json& event) {
    const std::string method = event.value("method", "");
    if (method == "Network.requestWillBeSent") requests_.push_back(event["params"]["request"]["url"]);
    if (method == "Runtime.exceptionThrown" || method == "Log.entryAdded")
      trouble_.push_back(event["params"].dump());
  }

  ladder::cli::TemporaryFolder profile_;
  ladder::Pipe to_, from_;
  ladder::UniqueFd silent_ = ladder::open_log("/dev/null");
  ladder::Subprocess process_;
  std::string session_, received_;
  int last_ = 0;
  std::vector<std::string> requests_, trouble_;
};

}  // namespace end_to_end
