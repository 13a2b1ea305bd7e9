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
                                                     {" ", 32}};
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
