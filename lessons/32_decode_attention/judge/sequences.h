// What the references of this lesson share: attention of one group in double, and inputs.
#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

/// Weights are rounded to bf16, which takes up to 2^-8 of each; a result that is their mean of values up to 1
/// is then off by 2^-8 at most, where all are off to the same side, and rounding the result takes another
/// 2^-8 of it. An eighth more is for scores in single precision, of up to some hundred.
inline constexpr ladder::Tolerance kTolerance = {.absolute = 0x1.2p-8, .relative = 0x1.2p-8};

/// A variant's name, which a verdict tells.
inline constexpr const char* kMixed = "mixed";

/// One query's attention to @p length keys.
/// @param      q    of its elements; likewise k and v of a key's number and an element
/// @param[out] o    dim elements, zeroed
template <class Query, class Key, class Value>
void attend(std::span<double> o, std::int64_t length, const Query& q, const Key& k, const Value& v) {
  const auto dim = static_cast<std::int64_t>(o.size());
  std::vector<double> score(length);
  for (std::int64_t key = 0; key < length; ++key) {
    for (std::int64_t i = 0; i < dim; ++i) score[key] += q(i) * k(key, i);
    score[key] /= std::sqrt(static_cast<double>(dim));
  }
  const double most = length > 0 ? *std::max_element(score.begin(), score.end()) : 0;
  double sum = 0;
  for (double& value : score) sum += value = std::exp(value - most);
  for (std::int64_t key = 0; key < length; ++key)
    for (std::int64_t i = 0; i < dim; ++i) o[i] += score[key] / sum * v(key, i);
}

/// Calls @p body(i) for i < @p count, each on a core of its own.
template <class Body>
void for_each(std::int64_t count, const Body& body) {
  constexpr std::int64_t kChunk = 65536;  // of a parallel_for
  ladder::parallel_for(count * kChunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin / kChunk; i * kChunk < end; ++i) body(i);
  });
}

/// Fills lengths: by turns all keys, a few more or less than a multiple of @p split, none, one, and any
/// number; where there are three splits or more, one that needs some of them, and not all.
inline void fill_lengths(std::span<int> lengths, std::int64_t most, std::int64_t split,
                         ladder::Random& random) {
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const std::int64_t any = static_cast<std::int64_t>(random.next() % (most + 1));
    const std::int64_t near =
        (any + split - 1) / split * split - 2 + static_cast<std::int64_t>(random.next() % 5);
    const std::int64_t some = most > 2 * split ? split + 1 + any % (most - 2 * split) : any;
    const std::int64_t length = b % 5 == 0   ? most
                                : b % 5 == 1 ? near
                                : b % 5 == 2 ? 0
                                : b % 5 == 3 ? 1
                                             : some;
    lengths[b] = static_cast<int>(std::clamp<std::int64_t>(length, 0, most));
  }
}

/// What a key of a case is: scores are what @p kind says. Queries are numbers from -2 to 2, or, in all kinds
/// but "mixed", "full" and "large", near 1 in all places, and then a key of a number's factor has it times 11
/// as its score.
/// @param random  a number from -1 to 1
/// @param place   of the key among all of its sequence, from 0 to 1
inline float key_element(std::string_view kind, float random, double place) {
  const float noise = random / 32;
  if (kind == "rising") return static_cast<float>(5 * place) + noise;
  if (kind == "falling") return static_cast<float>(5 - 5 * place) + noise;
  if (kind == "far below 0") return noise - 16;
  if (kind == "equal") return 1;
  return kind == "large" ? 20 * random : 2 * random;
}

inline void fill_queries(std::span<__nv_bfloat16> q, std::string_view kind, ladder::Random& random) {
  const float most = kind == "large" ? 20.0f : 2.0f;  // products of 128 numbers up to 20, scaled: hundreds
  random.uniform(q, __float2bfloat16(-most), __float2bfloat16(most));
  if (kind == kMixed || kind == "full" || kind == "large") return;
  for (__nv_bfloat16& value : q) value = __float2bfloat16(1 + __bfloat162float(value) / 64);
}
