#include "grader/judge/cases/secret.h"

#include "grader/platform/sha256.h"

namespace ladder {
using cli::sha256;
namespace {
// A seed has 52 bits: with these, more than 2^65 steps to try them all. It takes the judge some milliseconds.
constexpr int kSteps = 1 << 13;
}  // namespace

Secret::Secret(std::uint64_t seed, std::string_view scope) : key_(std::to_string(seed)) {
  key_.append("\n").append(scope);
  for (int i = 0; i < kSteps; ++i) key_ = sha256(key_);
}

std::uint64_t Secret::number(std::string_view purpose, std::string_view which) const {
  std::string text = key_;
  text.append(purpose).append("\n").append(which);
  return std::stoull(sha256(text).substr(0, 16), nullptr, 16);
}

}  // namespace ladder
