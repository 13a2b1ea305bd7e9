// Memory for many threads of which each uses little.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace sim::exec {

struct Release {
  void operator()(void* p) const { std::free(p); }
};

/// Zeros, 16-byte aligned. Of a large piece only the pages that are touched are taken from the host.
template <class T>
std::unique_ptr<T[], Release> lazy_zeros(std::size_t count) {
  static_assert(std::is_trivial_v<T>);
  auto* p = static_cast<T*>(std::calloc(count != 0 ? count : 1, sizeof(T)));
  if (p == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T[], Release>(p);
}

}  // namespace sim::exec
