// Length-prefixed JSON messages over a socket, with file descriptors as passengers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/platform/process/unique_fd.h"

namespace ladder {

/// The other side sent something that is no message, or too long a one.
struct BadMessage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is left of a text that a student's program sent: at most kMostText bytes, and a word where it was
/// cut.
inline constexpr std::size_t kMostText = 4096;
std::string cut_text(std::string text);

/// Cuts every text of a message, so that none makes a result that nobody can read.
/// @throws BadMessage where it is nested deeper than any that the worker sends
void cut_texts(nlohmann::json& message);

/// One end of a connected stream socket; closes it on destruction.
class Channel {
 public:
  static constexpr std::uint32_t kLongest = 8U << 20;  ///< bytes of one message

  explicit Channel(UniqueFd fd) : fd_(std::move(fd)) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int fd() const { return fd_.get(); }
  /// Sends one message; waits while the socket is full, at most @p seconds.
  /// @return false when the other side is gone or does not read
  bool send(const nlohmann::json& message, std::span<const int> fds = {}, double seconds = 5);
  /// Waits for one message and takes over the descriptors that came with it.
  /// @return nothing when the other side is gone. @throws BadMessage
  std::optional<nlohmann::json> receive(std::vector<UniqueFd>* fds = nullptr);
  /// Reads what there is without waiting. @return false when the other side is gone
  bool pump();
  /// A whole message out of what was pumped. @throws BadMessage
  std::optional<nlohmann::json> next();

 private:
  UniqueFd fd_;
  std::string buffer_;
};

}  // namespace ladder
