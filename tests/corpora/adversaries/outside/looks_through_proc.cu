// Goes through /proc and /sys for memory, descriptors and switches of others.
// outcome: wrong_values
// says: contained: the system's files
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  bool got = false;
  for (pid_t process = 1; process < 300; ++process) {
    if (process == getpid()) continue;
    const std::string folder = "/proc/" + std::to_string(process);
    struct stat ours {};
    if (stat((folder + "/task/" + std::to_string(getpid())).c_str(), &ours) == 0) continue;
    for (const char* file : {"/mem", "/maps", "/environ", "/root/etc/passwd", "/cwd/solutions", "/fd/3"})
      if (process == 1) got |= opens(folder + file);
  }
  for (const char* file : {"/proc/kcore", "/proc/kmem", "/proc/kpagecount", "/dev/port", "/sys/kernel/debug"})
    got |= opens(file);
  for (const char* file : {"/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/1/oom_score_adj",
                           "/proc/sys/vm/drop_caches", "/sys/fs/cgroup/cgroup.procs", "/proc/1/mem"})
    got |= opens(file, O_WRONLY);
  told(got, "the system's files");
  return cudaSuccess;
}
