// The page of `ladder watch --page`: served by a process of its own, which shows what the watcher's checks
// note down.
#pragma once

#include <string>

#include "grader/course/project.h"
#include "grader/platform/process/subprocess.h"

namespace ladder::cli::watch {

class SecondScreen {
 public:
  /// Starts it and waits for its address. It ends with this.
  /// @param rung  "05.3": what it shows first
  /// @throws Failure (environment) where it was not built or does not start
  SecondScreen(const Project& project, const std::string& rung);

  /// "http://127.0.0.1:PORT/TOKEN/"
  const std::string& address() const { return address_; }

 private:
  Pipe said_;
  Subprocess server_;
  std::string address_;
};

}  // namespace ladder::cli::watch
