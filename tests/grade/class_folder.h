// A class of students in a temporary place, graded by the real `ladder`.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/cli/files.h"
#include "grader/cli/process.h"

namespace grading {
namespace fs = std::filesystem;

inline std::string ladder_binary() { return std::string(LADDER_BUILD_DIR) + "/bin/ladder"; }
inline fs::path checkout() { return LADDER_SOURCE_DIR; }
inline std::string solution(const std::string& lesson, const std::string& rung) {
  return ladder::cli::read_file(checkout() / "solutions" / lesson / (rung + ".cu"));
}
inline std::string skeleton(const std::string& lesson, const std::string& rung) {
  return ladder::cli::read_file(checkout() / "lessons" / lesson / (rung + ".cu"));
}

struct Graded {
  int code = 0;
  std::string text;
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// `ladder ARGS` in the checkout of this build.
inline Graded run_ladder(std::vector<std::string> args) {
  args.insert(args.begin(), ladder_binary());
  Graded graded;
  const auto status = ladder::cli::run_process(
      {std::move(args), {{"LADDER_ROOT", LADDER_SOURCE_DIR}, {"LADDER_BUILD_DIR", LADDER_BUILD_DIR}}},
      [&](std::string_view line) { graded.text.append(line).push_back('\n'); });
  graded.code = status.signal != 0 ? 128 + status.signal : status.code;
  return graded;
}

inline nlohmann::json read_json(const fs::path& file) {
  return nlohmann::json::parse(ladder::cli::read_file(file));
}

/// A student's rung in a result. @throws nlohmann::json::exception, std::out_of_range
inline nlohmann::json rung_of(const nlohmann::json& student, const std::string& name) {
  for (const nlohmann::json& lesson : student.at("lessons"))
    for (const nlohmann::json& rung : lesson.at("rungs"))
      if (rung.at("rung") == name) return rung;
  throw std::out_of_range(name);
}

/// Why nothing can be graded on this machine in a sandbox; empty where it can.
inline std::string why_no_sandbox(const Graded& graded) {
  const std::size_t at = graded.text.find("there is no sandbox");
  return at == std::string::npos ? "" : graded.text.substr(at, graded.text.find('\n', at) - at);
}

}  // namespace grading
