// Binders of the matrix instructions, which matrix.cpp declares.
#pragma once

#include <vector>

#include "simulator/decode/instruction_def.h"
#include "simulator/instructions/matrix/fragment.h"

namespace sim::exec {

/// Reads the shape among the qualifiers, such as "m16n8k16".
/// @return whether there is one
bool shape_of(const Binding& b, int& m, int& n, int& k);

/// The element types among the qualifiers, in their order.
std::vector<Element> elements_written(const Binding& b);

void bind_multiply(Binding& b);          ///< wmma.mma, mma.sync, mma.sp: multiply.cpp
void bind_tile_load(Binding& b);         ///< wmma.load: transfer.cpp
void bind_tile_store(Binding& b);        ///< wmma.store
void bind_matrix_load(Binding& b);       ///< ldmatrix: ldmatrix.cpp
void bind_matrix_store(Binding& b);      ///< stmatrix
void bind_matrix_transpose(Binding& b);  ///< movmatrix

}  // namespace sim::exec
