// Sends the judge descriptors and answers without end, asked or not.
// outcome: crashed|wrong_values|input_changed
// says: .
#include "adversary.h"

namespace {
__attribute__((constructor)) void flood() {
  const std::string text = R"({"ready":true,"sets":1})";
  std::string many;
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t length = static_cast<std::uint32_t>(text.size());
    many.append(reinterpret_cast<const char*>(&length), sizeof length);
    many += text;
  }
  std::thread([many] {
    int fds[64];
    for (int& fd : fds) fd = 0;
    for (;;) {
      alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {};
      iovec piece{const_cast<char*>(many.data()), many.size()};
      msghdr header{};
      header.msg_iov = &piece;
      header.msg_iovlen = 1;
      header.msg_control = control;
      header.msg_controllen = sizeof control;
      cmsghdr* part = CMSG_FIRSTHDR(&header);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(sizeof fds);
      std::memcpy(CMSG_DATA(part), fds, sizeof fds);
      if (sendmsg(3, &header, MSG_NOSIGNAL) < 0) sleep(1);
    }
  }).detach();
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
