// Which element of a matrix each lane of a warp holds in which register.
#pragma once

#include <string>
#include <vector>

#include "simulator/instructions/lanes.h"

namespace sim::exec {

enum class Element : u8 { f16, bf16, tf32, f32, f64, e4m3, e5m2, s8, u8, s4, u4, b1, s32 };

/// @return whether @p name is an element type of matrix instructions
bool element_of(const std::string& name, Element& element);

/// Bits of one element in memory.
int bits_of(Element element);
/// Bytes, of an element that has whole ones.
inline int bytes_of(Element element) { return bits_of(element) / 8; }

/// A matrix spread over the lanes of a warp: registers of one or more elements each.
struct Fragment {
  Element element{};
  int rows = 0, columns = 0;
  int registers = 0;       ///< of each lane
  int per_register = 1;    ///< elements packed into one
  std::vector<u16> place;  ///< row * columns + column of element e of lane l, at l * elements() + e
  /// Element e of lane l is at 32 * e + l, as far as the matrix goes, then from its start.
  bool runs = false;
  int elements() const { return registers * per_register; }
};

/// The fragments of wmma. Their layout is nobody's business but load's, mma's and store's: a lane holds
/// every 32nd element of the row-major matrix, so that one register of all lanes is a run of it; where there
/// are registers for twice the matrix, two lanes hold the same.
Fragment wmma_fragment(Element element, int rows, int columns, int registers);

/// The same for elements smaller than a byte: a lane holds consecutive elements of a row or a column.
Fragment wmma_words(Element element, int rows, int columns, int registers, bool by_columns);

/// The fragments of mma.sync.m8n8k4 of f16: four products of 8 x 4 by 4 x 8, one in each eight lanes, as
/// blocks of one product of 32 x 4 by 4 x 32.
Fragment quad_fragment(char which, Element element, bool row_major, int registers);

/// The fragments of mma.sync, as the PTX ISA documents them. @p which: 'a', 'b' or 'c' (also d).
Fragment mma_fragment(char which, Element element, int rows, int columns, int registers);

}  // namespace sim::exec
