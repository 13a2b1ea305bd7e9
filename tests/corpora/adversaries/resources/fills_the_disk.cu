// Writes as many and as large files as it can.
// outcome: wrong_values
// says: contained:
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  signal(SIGXFSZ, SIG_IGN);
  static char block[1 << 20];
  std::size_t megabytes = 0;
  for (const char* folder : {"/tmp", "/dev/shm", "/var/tmp", "/dev", "/", "@RESULTS@", "/usr/tmp"})
    for (int file = 0; file < 64; ++file) {
      const int fd =
          open((std::string(folder) + "/filled" + std::to_string(file)).c_str(), O_WRONLY | O_CREAT, 0666);
      if (fd < 0) break;
      while (write(fd, block, sizeof block) == sizeof block) ++megabytes;
      close(fd);
    }
  // What the cell's own memory folders hold is its own to fill: 16 MiB each here.
  told(megabytes > 40, (std::to_string(megabytes) + " MiB").c_str());
  return cudaSuccess;
}
