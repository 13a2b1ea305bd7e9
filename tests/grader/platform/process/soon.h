// Waiting for what another process does.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace ladder::test {

/// Waits up to two seconds for @p condition.
template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 200; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

inline pid_t pid_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  pid_t pid = 0;
  stream >> pid;
  return pid;
}

/// True where the process does not run any more; a zombie that nobody has asked for yet counts as gone.
inline bool gone(pid_t pid) {
  if (::kill(pid, 0) != 0) return true;
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word, state;
  stat >> word >> word >> state;
  return state == "Z" || state == "X";
}

}  // namespace ladder::test
