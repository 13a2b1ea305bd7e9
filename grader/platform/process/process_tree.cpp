#include "grader/platform/process/process_tree.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
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

/// Calls @p visit with the folder in /proc of each thread of a process and of its descendants.
/// @return the processes, the root first
template <class Visit>
std::vector<pid_t> for_each_thread(pid_t root, Visit visit) {
  std::vector<pid_t> all = {root};
  for (std::size_t i = 0; i < all.size() && i < kMostProcesses; ++i) {
    std::error_code error;
    for (auto task = std::filesystem::directory_iterator("/proc/" + std::to_string(all[i]) + "/task", error);
         !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
      visit(i, task->path());
      std::ifstream children(task->path() / "children");
      for (pid_t child = 0; children >> child;) all.push_back(child);
    }
  }
  return all;
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

std::size_t bytes_of_tree(pid_t root) {
  std::vector<std::size_t> held;  // by each process
  const std::vector<pid_t> all = for_each_thread(root, [&](std::size_t process, const fs::path& thread) {
    held.resize(std::max(held.size(), process + 1));
    // Threads share what a process holds. Where the first one has ended, only the others show it.
    if (held[process] == 0) held[process] = bytes_of(thread);
  });
  return std::accumulate(held.begin(), held.end(),
                         bytes_of_folders(all.back()));  // whoever is not the sandbox's own, is in it
}

CoreTime core_time_of_this_thread() { return core_time_of("/proc/thread-self"); }

CoreTime TreeSchedule::look() {
  CoreTime since;
  std::map<pid_t, CoreTime> now;
  for_each_thread(root_, [&](std::size_t, const fs::path& thread) {
    const pid_t id = std::stoi(thread.filename());
    const CoreTime& time = now[id] = core_time_of(thread);
    const CoreTime& before = seen_[id];
    since.computed += std::max(time.computed - before.computed, 0.0);
    since.waited += std::max(time.waited - before.waited, 0.0);
  });
  seen_ = std::move(now);
  return since;
}

}  // namespace ladder
