#include "grader/platform/sha256.h"

#include <sha256.h>

#include <array>
#include <cstdint>

namespace ladder::cli {

std::string sha256(std::string_view bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> text;
  return SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), text.data());
}

}  // namespace ladder::cli
