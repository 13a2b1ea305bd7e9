// Takes of what the whole machine has a number of, or of what the kernel keeps without a limit.
// outcome: wrong_values
// says: contained: aio[\s\S]*contained: tty[\s\S]*contained: locks[\s\S]*contained: epoll
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  unsigned long context = 0;
  told(syscall(SYS_io_setup, 128, &context) == 0, "aio");
  told(opens("/dev/ptmx", O_RDWR), "tty");
  const int file = open("/tmp/locked", O_RDWR | O_CREAT, 0600);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_len = 1;
  told(fcntl(file, F_SETLK, &lock) == 0, "locks");
  told(syscall(SYS_epoll_create1, 0) >= 0, "epoll");
#ifdef SYS_mknod
  told(syscall(SYS_mknod, "/tmp/device", S_IFIFO | 0600, 0) == 0, "device");
#else
  told(mknod("/tmp/device", S_IFIFO | 0600, 0) == 0, "device");
#endif
  return cudaSuccess;
}
