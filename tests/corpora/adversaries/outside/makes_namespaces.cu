// Becomes root in a user namespace of its own, and mounts.
// outcome: wrong_values
// says: contained: a user namespace .Operation not permitted
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    told(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0, "a user namespace");
    told(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr) >= 0,
         "a clone in one");
    told(mount("none", "/tmp", "tmpfs", 0, nullptr) == 0, "a mount");
    told(setuid(0) == 0 && geteuid() == 0, "root's rights");
  }
  return cudaSuccess;
}
