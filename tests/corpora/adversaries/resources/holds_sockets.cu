// Fills pairs of sockets, whose contents the kernel holds and no process is seen to.
// outcome: wrong_values
// says: contained: pairs of sockets .Operation not permitted
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (!once()) return cudaSuccess;
  int ends[2];
  const bool made = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
  told(made, "pairs of sockets");
  if (!made) return cudaSuccess;
  static char bytes[1 << 16];
  for (int child = 0; child < 16; ++child)
    if (fork() == 0) {
      for (int pair[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;)
        while (send(pair[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
        }
      for (;;) sleep(1000);
    }
  return cudaSuccess;
}
