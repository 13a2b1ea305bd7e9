// Shadow memory: who accessed each word last, when, and by which instruction.
#pragma once

#include <memory>

#include "simulator/sanitizer/race/reader_set.h"
#include "simulator/sanitizer/race/vector_clock.h"

namespace sim::sanitizer {

/// Flags above the instruction's index in the `at` columns.
inline constexpr u32 kInstructionMask = (1u << 24) - 1;
inline constexpr u32 kReadersShift = 24;  ///< two bits: Readers
inline constexpr u32 kStrong = 1u << 26, kOfBlock = 1u << 27;
/// An atomic, which atomics of other blocks have followed unordered. Until somebody reads, read_who did the
/// last of them, at the moment read_also.
inline constexpr u32 kFollowed = 1u << 28;
inline constexpr u32 kPending = 1u << 29;  ///< an asynchronous copy that its thread has not waited for
inline constexpr u32 kVolatile = 1u << 30;

/// The columns of a piece of memory, one entry per cell. All zero: never accessed.
///
/// A cell is the smallest unit accessed so far, at most four bytes: neighbouring threads that write
/// neighbouring bytes do not meet in one cell.
class Shadow {
 public:
  explicit Shadow(u64 bytes);
  ~Shadow();
  Shadow(Shadow&& other) noexcept;
  Shadow& operator=(Shadow&&) = delete;

  u32 shift() const { return shift_; }  ///< log2 of the bytes of a cell
  u64 bytes() const { return bytes_; }
  /// Cells become as small as an access of @p bytes asks for; what they hold is kept.
  void fit(u32 bytes) {
    if (bytes < (1u << shift_)) refine(bytes);
    entered_ = true;
  }

  u32 *write_who, *write_when, *write_at;
  u32 *read_who, *read_when, *read_at;
  u32* read_also;  ///< another of several readers; of one: anything
  u32* read_set;   ///< Readers::warp: which lanes; Readers::block: which warps; else anything

 private:
  static constexpr int kColumns = 8;
  void map();
  void refine(u32 bytes);
  u64 bytes_;
  u32 shift_ = 2;
  bool entered_ = false;  ///< whether any access may stand in a cell
  u64 column_ = 0;        ///< cells of a column
  u32* pages_ = nullptr;
};

}  // namespace sim::sanitizer
