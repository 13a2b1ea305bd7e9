// Tells the judge that the device has no room for any case, so that all of them are left out.
// outcome: out_of_memory
// says: no room
#include "adversary.h"

namespace {
void say(const std::string& text) {
  const std::uint32_t length = static_cast<std::uint32_t>(text.size());
  (void)!write(3, &length, sizeof length);
  (void)!write(3, text.data(), text.size());
}
__attribute__((constructor)) void refuse_everything() {
  say(R"({"ready":true})");
  char bytes[65536];
  while (recv(3, bytes, sizeof bytes, 0) > 0) say(R"({"failed":"memory","message":"none left"})");
  _exit(0);
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
