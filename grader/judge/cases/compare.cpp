#include "grader/judge/cases/compare.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

#include "grader/lesson/element.h"
#include "grader/lesson/parallel.h"

namespace ladder {
namespace {

/// Compares [begin, end) and collects what is wrong there.
template <class T>
Mismatches compare_piece(const Buffer& buffer, const std::byte* got, int poison, std::int64_t begin,
                         std::int64_t end) {
  Mismatches found;
  T poison_value;
  std::memset(static_cast<void*>(&poison_value), poison, sizeof(T));
  for (std::int64_t i = begin; i < end; ++i) {
    T raw;
    std::memcpy(&raw, got + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    const double value = to_double(raw);
    if (acceptable(buffer.expected[static_cast<std::size_t>(i)], value, buffer.tolerance)) continue;
    if (found.count++ == 0) found.first = i;
    found.last = i;
    if (poison >= 0 && std::memcmp(&raw, &poison_value, sizeof(T)) == 0)
      ++found.poisoned;
    else if (value != value)
      ++found.nans;
    else if (value == 0)
      ++found.zeros;
    if (found.kept.size() < Mismatches::kMostKept) found.kept.push_back(i);
  }
  return found;
}

void append(Mismatches& all, const Mismatches& piece) {
  if (all.count == 0) all.first = piece.first;
  all.last = piece.last;
  all.count += piece.count;
  all.poisoned += piece.poisoned;
  all.zeros += piece.zeros;
  all.nans += piece.nans;
  const std::size_t room = Mismatches::kMostKept - all.kept.size();
  all.kept.insert(all.kept.end(), piece.kept.begin(),
                  piece.kept.begin() + static_cast<std::ptrdiff_t>(std::min(room, piece.kept.size())));
}

}  // namespace

Mismatches compare(const Buffer& buffer, std::span<const std::byte> got, int poison) {
  Mismatches all;
  all.elements = buffer.elements();
  if (buffer.expected.size() != static_cast<std::size_t>(all.elements))
    throw std::logic_error("the lesson's reference gave no expected values for '" + buffer.name + "'");
  if (got.size() != buffer.size_bytes()) throw std::logic_error("'" + buffer.name + "' has another size");
  std::map<std::int64_t, Mismatches> pieces;  // by where they begin: threads finish in any order
  std::mutex mutex;
  parallel_for(all.elements, [&](std::int64_t begin, std::int64_t end) {
    Mismatches piece = visit_type(buffer.type, [&](auto zero) {
      return compare_piece<decltype(zero)>(buffer, got.data(), poison, begin, end);
    });
    if (piece.count == 0) return;
    const std::scoped_lock lock(mutex);
    pieces.emplace(begin, std::move(piece));
  });
  for (const auto& [begin, piece] : pieces) append(all, piece);
  return all;
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  std::atomic<bool> same{true};
  parallel_for(static_cast<std::int64_t>(a.size()), [&](std::int64_t begin, std::int64_t end) {
    if (!same.load(std::memory_order_relaxed)) return;
    if (std::memcmp(a.data() + begin, b.data() + begin, static_cast<std::size_t>(end - begin)) != 0)
      same = false;
  });
  return same;
}

}  // namespace ladder
