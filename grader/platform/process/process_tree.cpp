#include "grader/platform/process/process_tree.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace ladder {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProcesses = 4096;  // one that forks faster than we look is not to keep us here
constexpr std::size_t kOfThread = 32u << 10;  // bytes that the kernel keeps for each: its stack and its like
constexpr std::size_t kOfFile = 1536;         // and for a file in memory, however empty

/// @return bytes; 0 of a process, or a thread, that has let go of its memory
std::size_t bytes_of(const std::string& folder) {
  std::size_t kib = 0, threads = 0;
  char line[256];
  FILE* file = std::fopen((folder + "/status").c_str(), "re");
  if (file == nullptr) return 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long value = 0;
    for (const char* key : {"VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:"})
      if (std::strncmp(line, key, std::strlen(key)) == 0 &&
          std::sscanf(line + std::strlen(key), "%lu", &value) == 1)
        kib += value;
    if (std::sscanf(line, "Threads: %lu", &value) == 1) threads = value;
  }
  std::fclose(file);
  return kib == 0 ? 0 : (kib << 10) + threads * kOfThread;
}

/// @return nothing where the kernel does not tell
CoreTime core_time_of(const fs::path& thread) {
  unsigned long long computed = 0, waited = 0;  // nanoseconds
  std::ifstream(thread / "schedstat") >> computed >> waited;
  return {double(computed) * 1e-9, double(waited) * 1e-9};
}

/// What lies in the memory folders of a process's sandbox; 0 where it has none of its own.
std::size_t bytes_of_folders(pid_t process) {
  std::size_t bytes = 0;
  for (const char* name : {"/tmp", "/dev/shm"}) {
    const std::string folder = "/proc/" + std::to_string(process) + "/root" + name;
    struct stat theirs {
    }, ours{};
    struct statvfs held {};
    if (::stat(folder.c_str(), &theirs) != 0 || ::statvfs(folder.c_str(), &held) != 0) continue;
    if (::stat(name, &ours) == 0 && ours.st_dev == theirs.st_dev) continue;
    bytes += (held.f_blocks - held.f_bfree) * held.f_frsize + (held.f_files - held.f_ffree) * kOfFile;
  }
  return bytes;
}

}  // namespace

CoreTime core_time_of_this_thread() { return core_time_of("/proc/thread-self"); }

ProcessTree::Seen ProcessTree::look() {
  Seen seen;
  std::map<pid_t, CoreTime> now;
  std::vector<pid_t> all = {root_};
  for (std::size_t i = 0; i < all.size() && i < kMostProcesses; ++i) {
    const fs::path folder = "/proc/" + std::to_string(all[i]);
    std::size_t bytes = bytes_of(folder);
    std::error_code error;
    for (auto task = fs::directory_iterator(folder / "task", error);
         !error && task != fs::directory_iterator(); task.increment(error)) {
      // Where the first thread has ended and others have not, only they show what all of them hold.
      if (bytes == 0) bytes = bytes_of(task->path());
      const pid_t id = std::stoi(task->path().filename());
      const CoreTime& time = now[id] = core_time_of(task->path());
      const CoreTime& before = had_[id];
      seen.since.computed += std::max(time.computed - before.computed, 0.0);
      seen.since.waited += std::max(time.waited - before.waited, 0.0);
      std::ifstream children(task->path() / "children");
      for (pid_t child = 0; children >> child;) all.push_back(child);
    }
    seen.bytes += bytes;
  }
  had_ = std::move(now);
  seen.bytes += bytes_of_folders(all.back());  // whoever is not the sandbox's own, is in it
  return seen;
}

}  // namespace ladder
