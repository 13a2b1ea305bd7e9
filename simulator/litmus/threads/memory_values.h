// The locations of a launch and the values that they may hold.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "simulator/litmus/program.h"

namespace sim::litmus {

class MemoryValues {
 public:
  /// The location of some bytes, which begins with what they hold now unless it is known already.
  /// @throws Unexplorable where they overlap another location in part
  int locate(bool shared, std::uint64_t block, std::uint64_t address, unsigned bytes, const std::byte* host);
  const std::vector<Location>& locations() const { return locations_; }
  Location& operator[](int location) { return locations_[std::size_t(location)]; }
  /// A thread may write the value there.
  void may_hold(int location, std::uint64_t value);
  /// How many values all locations may hold.
  std::size_t count() const { return count_; }

 private:
  std::vector<Location> locations_;
  std::map<std::tuple<bool, std::uint64_t, std::uint64_t>, int> by_address_;
  std::size_t count_ = 0;
};

inline std::uint64_t value_at(const std::byte* host, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, host, bytes);
  return value;
}

}  // namespace sim::litmus
