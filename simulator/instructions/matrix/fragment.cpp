#include "simulator/instructions/matrix/fragment.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sim::exec {

bool element_of(const std::string& name, Element& element) {
  static const std::array<std::pair<const char*, Element>, 13> names = {{{"f16", Element::f16},
                                                                         {"bf16", Element::bf16},
                                                                         {"tf32", Element::tf32},
                                                                         {"f32", Element::f32},
                                                                         {"f64", Element::f64},
                                                                         {"e4m3", Element::e4m3},
                                                                         {"e5m2", Element::e5m2},
                                                                         {"s8", Element::s8},
                                                                         {"u8", Element::u8},
                                                                         {"s4", Element::s4},
                                                                         {"u4", Element::u4},
                                                                         {"b1", Element::b1},
                                                                         {"s32", Element::s32}}};
  for (const auto& [known, value] : names) {
    if (name != known) continue;
    element = value;
    return true;
  }
  return false;
}

int bits_of(Element element) {
  switch (element) {
    case Element::b1:
      return 1;
    case Element::s4:
    case Element::u4:
      return 4;
    case Element::e4m3:
    case Element::e5m2:
    case Element::s8:
    case Element::u8:
      return 8;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::f64:
      return 64;
    default:
      return 32;
  }
}

namespace {

Fragment empty_fragment(Element element, int rows, int columns, int registers) {
  Fragment f;
  f.element = element;
  f.rows = rows;
  f.columns = columns;
  f.registers = registers;
  f.per_register = std::max(1, 32 / bits_of(element));
  f.place.resize(std::size_t(kLanes * f.elements()));
  return f;
}

}  // namespace

Fragment wmma_fragment(Element element, int rows, int columns, int registers) {
  Fragment f = empty_fragment(element, rows, columns, registers);
  for (int lane = 0; lane < kLanes; ++lane)
    for (int e = 0; e < f.elements(); ++e)
      f.place[std::size_t(lane * f.elements() + e)] = u16((kLanes * e + lane) % (rows * columns));
  f.runs = rows * columns % kLanes == 0;
  return f;
}

Fragment wmma_words(Element element, int rows, int columns, int registers, bool by_columns) {
  Fragment f = empty_fragment(element, rows, columns, registers);
  for (std::size_t i = 0; i < f.place.size(); ++i) {
    const int k = int(i) % (rows * columns);
    f.place[i] = u16(by_columns ? k % rows * columns + k / rows : k);
  }
  return f;
}

Fragment quad_fragment(char which, Element element, bool row_major, int registers) {
  const int rows = which == 'b' ? 4 : 32, columns = which == 'a' ? 4 : 32;
  Fragment f = empty_fragment(element, rows, columns, registers);
  for (int lane = 0; lane < kLanes; ++lane) {
    const int block = lane / 4 % 4, upper = lane < 16 ? 0 : 4, member = lane % 4;
    for (int e = 0; e < f.elements(); ++e) {
      int row, column;
      if (which == 'a') {
        row = 8 * block + upper + (row_major ? member : e);
        column = row_major ? e : member;
      } else if (which == 'b') {
        row = row_major ? member : e;
        column = 8 * block + upper + (row_major ? e : member);
      } else if (element == Element::f16) {
        row = 8 * block + upper + member;
        column = 8 * block + e;
      } else {
        row = 8 * block + upper + (lane & 1) + (e & 2);
        column = 8 * block + (e & 4) + (lane & 2) + (e & 1);
      }
      f.place[std::size_t(lane * f.elements() + e)] = u16(row * columns + column);
    }
  }
  return f;
}

Fragment mma_fragment(char which, Element element, int rows, int columns, int registers) {
  Fragment f = empty_fragment(element, rows, columns, registers);
  const int packed = f.per_register;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int group = lane / 4, member = lane % 4;
    for (int e = 0; e < f.elements(); ++e) {
      const int reg = e / packed, within = e % packed;
      int row = 0, column = 0;
      if (which == 'a') {  // registers go down by eight rows first, then across
        const int tall = rows / 8;
        row = group + 8 * (reg % tall);
        column = member * packed + 4 * packed * (reg / tall) + within;
      } else if (which == 'b') {
        row = member * packed + 4 * packed * reg + within;
        column = group;
      } else {  // pairs of neighbouring columns, then eight rows down
        row = group + 8 * (e / 2);
        column = member * 2 + e % 2;
      }
      f.place[std::size_t(lane * f.elements() + e)] = u16(row * columns + column);
    }
  }
  return f;
}

}  // namespace sim::exec
