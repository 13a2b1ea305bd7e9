// Answers the judge in the worker's stead, in the worker's own words, and does no work.
// outcome: input_changed|wrong_values
// says: input changed|wrong values
#include "adversary.h"

namespace {
void say(const std::string& text) {
  const std::uint32_t length = static_cast<std::uint32_t>(text.size());
  (void)!write(3, &length, sizeof length);
  (void)!write(3, text.data(), text.size());
}
__attribute__((constructor)) void answer_everything() {
  say(R"({"ready":true})");
  char bytes[65536];
  for (;;) {  // whatever the judge wants, it went well
    const ssize_t n = recv(3, bytes, sizeof bytes, 0);
    if (n <= 0) _exit(0);
    const std::string message(bytes + 4, static_cast<std::size_t>(n > 4 ? n - 4 : 0));
    if (message.find("\"case\"") != std::string::npos && message.find("buffers") != std::string::npos)
      say(R"({"sets":1})");
    else
      say(R"(@GOOD_REPLY@)");
  }
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
