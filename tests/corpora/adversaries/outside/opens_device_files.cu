// Looks for disks and terminals among the device files.
// outcome: wrong_values
// says: contained: disks
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  bool found = false;
  for (const char* file :
       {"/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm"})
    found |= opens(file, O_RDONLY);
  found |= mknod("/tmp/disk", S_IFBLK | 0666, 0xfe00) == 0 && opens("/tmp/disk");
  told(found, "disks");
  return cudaSuccess;
}
