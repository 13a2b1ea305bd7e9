// Which element each lane of a warp accesses: strides, broadcasts, permutations, masks, chance.
#pragma once

#include <array>

#include "microkernels.h"

constexpr int kInactive = -1;
constexpr int kElements = 1024;  ///< every pattern stays below this

/// One warp's elements by lane; kInactive: the lane does not take part.
struct LanePattern {
  std::string name;
  std::array<int, 32> element;
};

template <class F>
LanePattern lanes_by(const std::string& name, F element) {
  LanePattern p{name, {}};
  for (int lane = 0; lane < 32; ++lane) p.element[std::size_t(lane)] = element(lane);
  return p;
}

inline std::vector<LanePattern> strides(int most) {
  std::vector<LanePattern> all;
  for (int k = 1; k <= most; ++k)
    all.push_back(lanes_by("stride " + std::to_string(k), [k](int i) { return i * k; }));
  return all;
}

inline std::vector<LanePattern> repeats() {
  return {
      lanes_by("broadcast", [](int) { return 5; }),
      lanes_by("two by two", [](int i) { return i / 2; }),
      lanes_by("four by four", [](int i) { return i / 4; }),
      lanes_by("eight by eight", [](int i) { return i / 8; }),
      lanes_by("by half warps", [](int i) { return i / 16; }),
      lanes_by("lane without bit 1", [](int i) { return i & ~2; }),
      lanes_by("lane without bit 2", [](int i) { return i & ~4; }),
      lanes_by("lane without bit 3", [](int i) { return i & ~8; }),
      lanes_by("lane mod 2", [](int i) { return i % 2; }),
      lanes_by("lane mod 4", [](int i) { return i % 4; }),
      lanes_by("lane mod 8", [](int i) { return i % 8; }),
      lanes_by("lane mod 16", [](int i) { return i % 16; }),
      lanes_by("same in odd lanes", [](int i) { return i % 2 ? 3 : i; }),
      lanes_by("half broadcast, half contiguous", [](int i) { return i < 16 ? 5 : i; }),
      lanes_by("two by two, 32 apart", [](int i) { return i / 2 * 32; }),
      lanes_by("two by two in the upper half", [](int i) { return i < 16 ? i : 16 + i / 2; }),
      lanes_by("pairs in one half, bit 1 in the other", [](int i) { return i < 16 ? i / 2 : i & ~2; }),
  };
}

inline std::vector<LanePattern> orders() {
  return {
      lanes_by("offset 1", [](int i) { return i + 1; }),
      lanes_by("offset 3", [](int i) { return i + 3; }),
      lanes_by("offset 8", [](int i) { return i + 8; }),
      lanes_by("reversed", [](int i) { return 31 - i; }),
      lanes_by("halves swapped", [](int i) { return i ^ 16; }),
      lanes_by("pairs swapped", [](int i) { return i ^ 1; }),
      lanes_by("columns of 8 by 4", [](int i) { return i % 8 * 4 + i / 8; }),
      lanes_by("columns of 4 by 8", [](int i) { return i % 4 * 8 + i / 4; }),
      lanes_by("rows of 64, swizzled", [](int i) { return i / 8 * 64 + ((i % 8) ^ (i / 8)); }),
      lanes_by("column, swizzled", [](int i) { return i * 32 + i; }),
      lanes_by("rows of 33", [](int i) { return i / 4 * 33 + i % 4; }),
      lanes_by("rows of 40", [](int i) { return i / 4 * 40 + i % 4; }),
  };
}

inline std::vector<LanePattern> masks() {
  return {
      lanes_by("lane 0 only", [](int i) { return i == 0 ? 0 : kInactive; }),
      lanes_by("lane 21 only", [](int i) { return i == 21 ? 21 : kInactive; }),
      lanes_by("lower half", [](int i) { return i < 16 ? i : kInactive; }),
      lanes_by("upper half", [](int i) { return i >= 16 ? i : kInactive; }),
      lanes_by("even lanes", [](int i) { return i % 2 == 0 ? i : kInactive; }),
      lanes_by("every fourth lane", [](int i) { return i % 4 == 0 ? i : kInactive; }),
      lanes_by("lanes 0 and 16", [](int i) { return i % 16 == 0 ? i : kInactive; }),
      lanes_by("lanes 0 and 8", [](int i) { return i == 0 || i == 8 ? i : kInactive; }),
      lanes_by("lanes 0 and 31, far apart", [](int i) { return i % 31 == 0 ? i * 32 : kInactive; }),
      lanes_by("eight lanes", [](int i) { return i < 8 ? i : kInactive; }),
      lanes_by("middle", [](int i) { return i >= 4 && i < 27 ? i : kInactive; }),
      lanes_by("even lanes, 32 apart", [](int i) { return i % 2 == 0 ? i * 32 : kInactive; }),
      lanes_by("nobody", [](int) { return kInactive; }),
  };
}

/// Elements drawn from the first @p span, the same for @p together neighbouring lanes; one lane in
/// @p leave_out (0: none) sits out.
inline std::vector<LanePattern> chances(int count) {
  std::vector<LanePattern> all;
  Sequence random{7};
  for (int n = 0; n < count; ++n) {
    const int span = 8 << (n % 8), together = n % 5 == 4 ? 2 : 1, leave_out = n % 4 == 3 ? 3 : 0;
    LanePattern p{"random " + std::to_string(n) + ", span " + std::to_string(span), {}};
    for (int i = 0; i < 32; ++i) {
      auto& here = p.element[std::size_t(i)];
      here = int(random()) % span;
      if (i % together) here = p.element[std::size_t(i - 1)];
    }
    if (leave_out)
      for (int& e : p.element)
        if (random() % leave_out == 0) e = kInactive;
    all.push_back(p);
  }
  return all;
}

inline std::vector<LanePattern> joined(std::vector<std::vector<LanePattern>> sets) {
  std::vector<LanePattern> all;
  for (const auto& set : sets) all.insert(all.end(), set.begin(), set.end());
  return all;
}
