// Answers the judge with messages of the wrong shape, to bring it down or to be called a mistake of its own.
// outcome: crashed
// says: channel
#include "adversary.h"

namespace {
void say(const std::string& text) {
  const std::uint32_t length = static_cast<std::uint32_t>(text.size());
  (void)!write(3, &length, sizeof length);
  (void)!write(3, text.data(), text.size());
}
__attribute__((constructor)) void babble() {
  say(R"({"ready":true})");
  char bytes[65536];
  if (recv(3, bytes, sizeof bytes, 0) > 0) say(R"({"failed":{"failed":5},"message":[1]})");
  for (;;) sleep(1000);
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
