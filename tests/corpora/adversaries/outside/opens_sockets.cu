// Calls out: to this machine and to the network.
// outcome: wrong_values
// says: contained: connecting
#include "adversary.h"

namespace {
bool connects(const char* address, int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address, &to.sin_addr);
  return connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    told(connects("127.0.0.1", std::atoi("@PORT@")), "connecting to this machine");
    told(connects("192.0.2.1", 80), "connecting to the network");
  }
  return cudaSuccess;
}
