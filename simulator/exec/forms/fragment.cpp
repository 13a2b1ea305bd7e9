#include "simulator/exec/forms/fragment.h"

#include <array>
#include <utility>

namespace sim::exec {

bool element_of(const std::string& name, Element& element) {
  static const std::array<std::pair<const char*, Element>, 8> names = {{{"f16", Element::f16},
                                                                        {"bf16", Element::bf16},
                                                                        {"tf32", Element::tf32},
                                                                        {"f32", Element::f32},
                                                                        {"f64", Element::f64},
                                                                        {"s8", Element::s8},
                                                                        {"u8", Element::u8},
                                                                        {"s32", Element::s32}}};
  for (const auto& [known, value] : names) {
    if (name != known) continue;
    element = value;
    return true;
  }
  return false;
}

int bytes_of(Element element) {
  switch (element) {
    case Element::s8:
    case Element::u8:
      return 1;
    case Element::f16:
    case Element::bf16:
      return 2;
    case Element::f64:
      return 8;
    default:
      return 4;
  }
}

namespace {

Fragment empty_fragment(Element element, int rows, int columns, int registers) {
  Fragment f;
  f.element = element;
  f.rows = rows;
  f.columns = columns;
  f.registers = registers;
  f.per_register = bytes_of(element) < 4 ? 4 / bytes_of(element) : 1;
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
