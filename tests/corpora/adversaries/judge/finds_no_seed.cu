// Goes through the heap, where the numbers lie that the judge has sent, and from each back to the seed, by
// the ways that lead back from numbers of a generator that fills arrays.
// outcome: wrong_values
// says: contained: the seed
#include <algorithm>

#include "adversary.h"

namespace {
constexpr std::uint64_t kSeed = 20261121, kGolden = 0x9e3779b97f4a7c15ULL;
std::uint64_t unmixed(std::uint64_t y) {
  y ^= y >> 31 ^ y >> 62;
  y *= 0x319642b2d24d8ec3ULL;
  y ^= y >> 27 ^ y >> 54;
  y *= 0x96de1b173f119089ULL;
  return y ^ y >> 30 ^ y >> 60;
}
/// Undoes the hash of a case's name.
std::uint64_t unhashed(const std::string& text, std::uint64_t h) {
  for (auto c = text.rbegin(); c != text.rend(); ++c)
    h = h * 0xce965057aff6957bULL ^ static_cast<unsigned char>(*c);
  return h ^ 14695981039346656037ULL;
}
bool leads_back(std::uint64_t number, const std::string& name) {
  for (const std::uint64_t begin :
       {number, unmixed(number) - kGolden, unmixed(unmixed(number) - kGolden) - kGolden})
    if (begin == kSeed || unhashed(name, begin) == kSeed) return true;
  return false;
}
}  // namespace
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int width, int height) {
  if (!once()) return cudaSuccess;
  const std::string name = "check width=" + std::to_string(width) + ", height=" + std::to_string(height);
  bool found = false;
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char access[5] = "";
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, access) != 3 || std::strstr(line, "[heap]") == nullptr)
      continue;
    for (unsigned long at = begin; at + 8 <= std::min(end, begin + (8ul << 20)); at += 8)
      found |= leads_back(*reinterpret_cast<const volatile std::uint64_t*>(at), name);
  }
  told(found, "the seed");
  return cudaSuccess;
}
