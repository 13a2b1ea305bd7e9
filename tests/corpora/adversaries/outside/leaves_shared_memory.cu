// Leaves shared memory for whoever is judged next.
// outcome: wrong_values
// says: contained: System V memory .Operation not permitted
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    told(shmget(0x1add, 4096, IPC_CREAT | 0666) >= 0, "System V memory");
    opens("/dev/shm/ladder-for-the-next", O_RDWR | O_CREAT);
  }
  return cudaSuccess;
}
