// Recordings are kept compressed.
#pragma once

#include <zstd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace sim::test {

/// The contents of a file that `zstd` made. @throws std::runtime_error when it is none
inline std::string unpacked(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size >= 1ull << 30) throw std::runtime_error(path + " is no recording");
  std::string text(size, '\0');
  if (ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) != size)
    throw std::runtime_error(path + " is damaged");
  return text;
}

}  // namespace sim::test
