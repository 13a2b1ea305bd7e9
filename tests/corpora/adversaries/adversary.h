// What the adversaries begin with; put in the place of their #include before they are handed in.
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rgb_to_gray.h"

namespace {
// What an attack came to, once; the judge shows what a failed rung printed.
void told(bool escaped, const char* what) {
  const int reason = errno;
  std::printf("%s: %s (%s)\n", escaped ? "ESCAPED" : "contained", what, std::strerror(reason));
  std::fflush(stdout);
}
bool opens(const std::string& path, int how = O_RDONLY) {
  const int fd = open(path.c_str(), how, 0666);
  if (fd >= 0) close(fd);
  return fd >= 0;
}
bool once() {
  static bool done = false;
  return !std::exchange(done, true);
}
}  // namespace
