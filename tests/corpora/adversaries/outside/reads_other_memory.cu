// Reads whatever other process it can see.
// outcome: wrong_values
// says: contained: memory of others
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  bool read_some = false;
  char byte = 0;
  for (pid_t process = 1; process < 70000; ++process) {
    if (process == getpid() || process == getppid()) continue;
    iovec here{&byte, 1}, there{reinterpret_cast<void*>(0x400000), 1};
    read_some |= process_vm_readv(process, &here, 1, &there, 1, 0) > 0;
  }
  for (const char* file : {"/proc/1/mem", "/proc/1/environ", "/proc/1/root/etc/passwd"})
    read_some |= opens(file);
  told(read_some, "memory of others");
  return cudaSuccess;
}
