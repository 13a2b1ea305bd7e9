// A course whose cmake and runner are scripts, so that the
// command line can be tried without nvcc and a simulator.
#pragma once

#include <stdlib.h>

#include <string>

#include "grader/platform/files.h"
#include "tests/grader/support/sample.h"

namespace sample {

/// Puts a folder with the given script, named cmake, before PATH for the life of the object.
class FakeCmake {
 public:
  FakeCmake(const Tree& tree, const std::string& script) : old_(::getenv("PATH")) {
    write_program(tree.project.root / "fake" / "cmake", "#!/bin/sh\n" + script);
    ::setenv("PATH", ((tree.project.root / "fake").string() + ":" + old_).c_str(), 1);
  }
  FakeCmake(const FakeCmake&) = delete;
  FakeCmake& operator=(const FakeCmake&) = delete;
  ~FakeCmake() { ::setenv("PATH", old_.c_str(), 1); }

  static void write_program(const std::filesystem::path& file, const std::string& text) {
    ladder::cli::write_file(file, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

 private:
  std::string old_;
};

/// The start of a runner script: defines `event JSON` and sends the device event.
inline constexpr const char* kRunnerHead = R"sh(#!/bin/sh
fd=1
for word; do
  [ "$previous" != --result-fd ] || fd=$word
  previous=$word
done
event() { echo "$1" >"/dev/fd/$fd"; }  # >&"$fd" of some shells takes one digit only
event '{"event":"device","name":"H200","machine":"simulator","compute_capability":"9.0","modelled":true,"seed":42,"lesson":"09_reduction","cases":3,"time_size":"n=8"}'
)sh";

/// A build folder that looks configured, and a runner-sim
/// that says @p events (shell commands after kRunnerHead).
inline void add_runner(const Tree& tree, const std::string& events) {
  ladder::cli::write_file(tree.project.build / "CMakeCache.txt", "");
  ladder::cli::write_file(tree.project.build / "build.ninja", "");
  FakeCmake::write_program(tree.project.binary("runner-sim"), kRunnerHead + events);
}

/// A shell command that sends the verdict of a rung.
/// @param printed  what the rung's code wrote: a line, or empty
inline std::string verdict(const std::string& rung, const std::string& outcome,
                           const std::string& printed = "") {
  return "event '{\"event\":\"rung\",\"lesson\":\"09_reduction\",\"rung\":\"" + rung + "\",\"outcome\":\"" +
         outcome +
         "\",\"headline\":\"\",\"detail\":\"\",\"advice\":\"\",\"cases_passed\":3,\"cases_total\":3,"
         "\"printed\":[" +
         (printed.empty() ? "" : "\"" + printed + "\"") + "],\"findings\":[],\"kernels\":[]}'\n";
}
inline constexpr const char* kDone = "event '{\"event\":\"done\",\"rungs\":3,\"passed\":3}'\n";

}  // namespace sample
