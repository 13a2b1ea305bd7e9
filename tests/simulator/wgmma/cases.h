// What the tensor cores of an H100 are asked: wgmma with all types, layouts and scales, and the forms of
// mma.sync whose sums are rounded. Recorder and test run the same PTX on the same operands and compare bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::wgmma {

enum class Type : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, u8, b1, f32, s32 };

/// Its name in PTX.
const char* name_of(Type type);

/// Bits of an element in memory.
int bits_of(Type type);

/// What the numbers are like.
enum class Data : std::uint8_t {
  moderate,    ///< of one magnitude; integers: any
  wide,        ///< exponents far apart, so that bits of products are cut off
  extreme,     ///< any finite number; integers: the ends of the range
  small,       ///< products and sums about the subnormal numbers of the sum
  special,     ///< a few infinities and NaNs
  cancelling,  ///< ones of both signs, and small numbers that remain when these cancel
  zeros,       ///< zeros of both signs
};

/// How a factor lies.
struct Matrix {
  bool registers = false;
  bool mn_major = false;  ///< neighbours in memory are neighbours of the dimension that remains
  int swizzle = 0;        ///< bytes: 0, 32, 64 or 128
  int leading = 0;        ///< the descriptor's offsets, bytes
  int stride = 0;
  int start = 0;  ///< bytes behind a multiple of 1024
  int step = 0;   ///< bytes from one step to the next
  int base_offset = 0;
};

struct Case {
  bool sync = false;  ///< mma.sync of the four warps; wgmma else
  Type a{}, b{}, d{};
  int n = 0, k = 0;
  Matrix at{}, bt{};
  Data data{};
  int steps = 1;
  bool scale_d = true;
  int scale_a = 1, scale_b = 1;
  bool saturate = false;
  bool sparse = false;  ///< half of a's elements are there, and metadata says which: k is twice as deep
  int selector = 0;     ///< the threads of a quad that have the metadata: 0 or 1 for 16 and 32 bits
};

/// Bytes of shared memory: a's part, then b's.
inline constexpr int kPartOfA = 16384, kShared = 49152, kMostSteps = 4, kThreads = 128;

/// All cases, in a fixed order.
std::vector<Case> all_cases();

/// Unlike every other case's.
std::string name_of(const Case& c);

/// Registers of an accumulator in each thread.
int registers_of_d(const Case& c);

/// A module with one kernel "k" (.param .u64 out, .param .u64 in) for one block of 128 threads. Results: word
/// r of thread t at 4 * (128 * r + t).
std::string ptx_of(const Case& c);

/// The kernel's input: the bytes of shared memory; a's registers, four of each thread for each step; c, laid
/// out as the results are; of a sparse a the metadata, a word of each thread for each step. The same on every
/// machine.
std::vector<std::uint32_t> operands_of(const Case& c);

/// A number for results, where these are too many to be kept: FNV-1a of their bytes.
std::uint64_t digest(const std::vector<std::uint32_t>& results);

/// Results of more words than these are kept as their digest.
inline constexpr std::size_t kMostKept = 256;

}  // namespace sim::wgmma
