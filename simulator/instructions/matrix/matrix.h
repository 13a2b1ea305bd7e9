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

void bind_multiply(Binding& b);  ///< wmma.mma, mma.sync, mma.sp: multiply.cpp
/// mma.sync of 16 x @p depth by @p depth x 8: mma.cpp. @param types  of d, a, b, c
/// @return whether it is one of real numbers, f64 apart, and so is bound (or refused)
bool bind_real_multiply(Binding& b, int depth, const std::vector<Element>& types);
void commit_products(Warp& w, const Instr& in);    ///< wgmma.commit_group
void wait_for_products(Warp& w, const Instr& in);  ///< wgmma.wait_group
void bind_async_multiply(Binding& b);              ///< wgmma.mma_async: wgmma.cpp
void bind_tile_load(Binding& b);                   ///< wmma.load: transfer.cpp
void bind_tile_store(Binding& b);                  ///< wmma.store
void bind_matrix_load(Binding& b);                 ///< ldmatrix: ldmatrix.cpp
void bind_matrix_store(Binding& b);                ///< stmatrix
void bind_matrix_transpose(Binding& b);            ///< movmatrix

}  // namespace sim::exec
