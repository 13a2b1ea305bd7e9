// A class of students in a temporary place, graded by the real `ladder`.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/platform/files.h"
#include "grader/platform/process/run_process.h"

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

/// `ladder ARGS` in the checkout of this build, in the background and without a word; killed when it goes.
class Background {
 public:
  explicit Background(const std::vector<std::string>& args) {
    std::fflush(nullptr);  // what is buffered is not for the child to write again
    child_ = ::fork();
    if (child_ != 0) return;
    ::setenv("LADDER_ROOT", LADDER_SOURCE_DIR, 1);
    ::setenv("LADDER_BUILD_DIR", LADDER_BUILD_DIR, 1);
    if (::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    const std::string program = ladder_binary();
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& word : args) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background() { end(SIGKILL); }
  /// Sends it a signal and waits for its end. @return whether it was still at work
  bool end(int number) {
    if (child_ <= 0) return false;
    int status = 0;
    ::kill(child_, number);
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFSIGNALED(status);
  }

 private:
  pid_t child_ = -1;
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
