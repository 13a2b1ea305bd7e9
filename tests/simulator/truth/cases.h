// What is recorded on a GPU and compared on the simulator: instructions, the operands they are given, and how
// far a result may lie from the recorded one. Both sides run the same PTX on the same operands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::truth {

/// What fills an operand's register, or how a result's register is read.
enum class Kind : std::uint8_t {
  f16,
  bf16,
  f32,
  f64,
  f16x2,
  bf16x2,
  b8,   ///< any bits, in a 16-bit register
  b16,  ///< any bits, and the ends of the signed and unsigned ranges
  b32,
  b64,
  b128,       ///< two places: its halves
  amount,     ///< 0 to 70: shifts, positions, widths
  few,        ///< 0 to 3: equal values are frequent
  fp8x2,      ///< any 16 bits
  whole_f16,  ///< pairs of whole numbers -4 to 4: their products sum exactly
  whole_bf16,
  whole_f32,
  whole_f64,
  whole_fp8,  ///< four of e4m3
  some_f16,   ///< pairs of numbers of one magnitude
  some_bf16,
  some_f32,
};

/// Bytes of the register that holds a value.
int bytes_of(Kind kind);

struct Case {
  std::string name;  ///< the instruction; unique
  /// PTX that computes %d0, %d1 ... from %a0, %a1 ...; may use %o (where this row's results go: global memory
  /// that nobody else uses), %s (64 bytes of shared memory of its own), `block` (shared memory of the warp),
  /// %lane, and predicates %p0 to %p3.
  std::string body;
  std::vector<Kind> out, in;
  int rows = 64;                      ///< of operands; a warp takes 32
  double relative = 0, absolute = 0;  ///< how far a result may be off; both 0: the same bits
};

/// All cases, in a fixed order.
std::vector<Case> all_cases();

/// A module with one kernel "k" (.param .u64 out, .param .u64 in; one warp per block), the case's program.
std::string ptx_of(const Case& c);

/// Operands, row by row, each value in 8 bytes. The same on every machine.
std::vector<std::uint64_t> operands_of(const Case& c);

/// Places of 8 bytes that a list of values takes.
int places(const std::vector<Kind>& kinds);

/// Every choice of a pattern such as "add{.rn,.rz}{.ftz}(.f32,.f64)": {} may be left out, () may not.
std::vector<std::string> expand(const std::string& pattern);

/// The lists by family, each in a file of its own.
void add_float_cases(std::vector<Case>&);
void add_half_cases(std::vector<Case>&);
void add_convert_cases(std::vector<Case>&);
void add_integer_cases(std::vector<Case>&);
void add_warp_cases(std::vector<Case>&);
void add_memory_cases(std::vector<Case>&);
void add_vector_atomic_cases(std::vector<Case>&);
void add_barrier_cases(std::vector<Case>&);
void add_matrix_cases(std::vector<Case>&);

}  // namespace sim::truth
