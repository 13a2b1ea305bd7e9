// Running a runner and reading its events, for tests.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/protocol/verdict.h"

namespace ladder::test {

/// What came out of one run of a runner.
struct Output {
  int status = -1;
  std::vector<nlohmann::json> events;
  std::map<std::string, Verdict> verdicts;  ///< by rung

  /// The first event of a kind. @throws std::runtime_error when there is none
  const nlohmann::json& event(const std::string& kind) const {
    for (const nlohmann::json& e : events)
      if (e["event"] == kind) return e;
    throw std::runtime_error("no event " + kind);
  }
  /// Everything that a student would read of a rung's verdict.
  std::string words(const std::string& rung) const {
    const Verdict& verdict = verdicts.at(rung);
    std::string all = verdict.headline + "\n" + verdict.detail + "\n" + verdict.advice;
    for (const std::string& line : verdict.printed) all += "\n" + line;
    return all;
  }
};

inline Output run_runner(const std::string& runner, const std::string& arguments) {
  Output output;
  FILE* pipe = popen((runner + " " + arguments + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + runner);
  std::string text;
  char bytes[4096];
  while (const std::size_t n = fread(bytes, 1, sizeof(bytes), pipe)) text.append(bytes, n);
  output.status = WEXITSTATUS(pclose(pipe));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    output.events.push_back(nlohmann::json::parse(line));
    if (output.events.back()["event"] != "rung") continue;
    const auto verdict = output.events.back().get<Verdict>();
    output.verdicts[verdict.rung] = verdict;
  }
  return output;
}

/// A rung, and what the grader must say of it.
struct Expectation {
  const char* rung;
  Outcome outcome;
  const char* words;  ///< in headline, detail or advice
};

}  // namespace ladder::test
