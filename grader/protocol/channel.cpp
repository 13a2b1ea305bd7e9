#include "grader/protocol/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

namespace ladder {
namespace {
constexpr std::size_t kMostFds = 128;

bool wait_for(int fd, short events, int milliseconds) {
  pollfd poller{fd, events, 0};
  int ready;
  do ready = poll(&poller, 1, milliseconds);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

constexpr int kDeepest = 16;  // objects in lists in objects; a kernel's record has five

void cut_texts(nlohmann::json& part, int depth) {
  if (depth > kDeepest) throw BadMessage("a message in a message in a message");
  if (part.is_string()) {
    auto& text = part.get_ref<std::string&>();
    if (text.size() > kMostText) text = cut_text(std::move(text));
  } else if (part.is_array()) {
    for (nlohmann::json& item : part) cut_texts(item, depth + 1);
  } else if (part.is_object()) {
    auto& named = part.get_ref<nlohmann::json::object_t&>();
    std::erase_if(named, [](const auto& item) { return item.first.size() > kMostText; });
    for (auto& [name, item] : named) cut_texts(item, depth + 1);
  }
}
}  // namespace

std::string cut_text(std::string text) {
  constexpr std::string_view kCut = " ... (cut)";
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText - kCut.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // no half a character
  text.resize(end);
  return text.append(kCut);
}

void cut_texts(nlohmann::json& message) { cut_texts(message, 0); }

bool Channel::send(const nlohmann::json& message, std::span<const int> fds, double seconds) {
  // Strings of a student's program may hold any bytes: replaced, not thrown at.
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  bytes += text;

  alignas(cmsghdr) char control[CMSG_SPACE(kMostFds * sizeof(int))] = {};
  if (fds.size() > kMostFds) throw std::length_error("too many buffers for one case");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (std::size_t sent = 0; sent < bytes.size();) {
    iovec piece{bytes.data() + sent, bytes.size() - sent};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    if (sent == 0 && !fds.empty()) {
      header.msg_control = control;
      header.msg_controllen = CMSG_SPACE(fds.size_bytes());
      cmsghdr* part = CMSG_FIRSTHDR(&header);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(fds.size_bytes());
      std::memcpy(CMSG_DATA(part), fds.data(), fds.size_bytes());
    }
    const ssize_t n = sendmsg(fd_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      wait_for(fd_.get(), POLLOUT, 100);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::optional<nlohmann::json> Channel::receive(std::vector<UniqueFd>* fds) {
  for (;;) {
    if (auto message = next()) return message;
    char bytes[65536];
    alignas(cmsghdr) char control[CMSG_SPACE(kMostFds * sizeof(int))];
    iovec piece{bytes, sizeof(bytes)};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    const ssize_t n = recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
      if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
      std::vector<int> came((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      std::memcpy(came.data(), CMSG_DATA(part), came.size() * sizeof(int));
      for (const int fd : came) {
        UniqueFd owned(fd);
        if (fds != nullptr) fds->push_back(std::move(owned));
      }
    }
    buffer_.append(bytes, static_cast<std::size_t>(n));
  }
}

bool Channel::pump() {
  char bytes[65536];
  for (;;) {
    const ssize_t n = recv(fd_.get(), bytes, sizeof(bytes), MSG_DONTWAIT);
    if (n > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(n));
      if (buffer_.size() > kLongest + sizeof(bytes)) return true;  // next() will have its word on this
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

std::optional<nlohmann::json> Channel::next() {
  std::uint32_t length = 0;
  if (buffer_.size() < sizeof(length)) return std::nullopt;
  std::memcpy(&length, buffer_.data(), sizeof(length));
  if (length > kLongest) throw BadMessage("a message of " + std::to_string(length) + " bytes");
  if (buffer_.size() < sizeof(length) + length) return std::nullopt;
  const char* begin = buffer_.data() + sizeof(length);
  nlohmann::json message = nlohmann::json::parse(begin, begin + length, nullptr, false);
  buffer_.erase(0, sizeof(length) + length);
  if (!message.is_object()) throw BadMessage("a message that is not JSON");
  return message;
}

}  // namespace ladder
