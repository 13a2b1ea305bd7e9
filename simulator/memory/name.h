// Finding the names of allocations in words.
#pragma once

#include <cctype>
#include <string>

namespace sim::memory {

/// Where a message names an allocation, as in "(cudaMalloc #1)" or "128 bytes from cudaMalloc #1".
/// @return the end of the name; npos where it is not named at @p from or behind it
inline std::size_t named_at(const std::string& message, const std::string& origin, std::size_t from = 0) {
  for (std::size_t at = message.find(origin, from); at != message.npos; at = message.find(origin, at + 1)) {
    const std::size_t end = at + origin.size();
    const bool begins = at == 0 || message[at - 1] == '(' || message[at - 1] == ' ';
    const bool ends = end == message.size() || std::isalnum(static_cast<unsigned char>(message[end])) == 0;
    if (begins && ends) return end;
  }
  return message.npos;
}

}  // namespace sim::memory
