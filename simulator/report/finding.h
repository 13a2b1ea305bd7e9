// Something wrong with a program, by line of its source: what the simulator finds and the grader tells.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/report/index3.h"
#include "simulator/report/memory_access.h"
#include "simulator/report/message.h"
#include "simulator/report/wording/cure.h"

namespace sim {

/// What is wrong. JSON and `diagnosis` have the same names, with hyphens.
enum class FindingKind : std::uint8_t {
  race,
  out_of_bounds,
  use_after_free,
  uninitialized,
  misaligned,
  barrier,  ///< not all threads that it waits for reach it
  mask,     ///< of a warp-wide operation, and who comes to it
  hang,
  assert,
  trap,
  illegal_instruction,  ///< of what it is given, it can do nothing
  launch,               ///< a configuration that cannot be
  memcpy,               ///< a copy, or a memset
  free,
  leak,
  texture,       ///< a description of one that cannot be
  descriptor,    ///< a matrix is read from shared memory in another way than it was written
  stored_again,  ///< elements are stored several times
  waits,         ///< for other blocks; never leaves the simulator
  unsupported,   ///< the simulator cannot do it
};

enum class Severity : std::uint8_t { error, note };

/// "out-of-bounds"
const char* to_string(FindingKind kind);
/// The kind of that name, if there is one.
std::optional<FindingKind> finding_kind(const std::string& name);
/// "error" or "note"
const char* to_string(Severity severity);

/// A line of the user's source; 0 where it is not known.
struct SourceLine {
  std::string file;
  int line = 0;
  auto operator<=>(const SourceLine&) const = default;
};

/// The other party of a race or of a barrier mismatch.
struct OtherParty {
  AccessKind access = AccessKind::none;
  int line = 0;
  Index3 block{};
  Index3 thread{};
  std::vector<std::string> host_frames;  ///< as those of a finding, where it is host code
  std::string file;
  SourceLine inside{};  ///< as of a finding
};

/// Threads at one place of a block that cannot go on.
struct StuckThreads {
  std::string who;                     ///< "threads 0-30 of warp 2"; of a cluster, with their block
  AccessKind does = AccessKind::none;  ///< barrier or wait, exit for those who have left, none for who runs
  std::string file;
  int line = 0;
  std::string wanted;  ///< "barrier 0": what they wait for; empty for who does not wait
};

/// Bytes of a buffer that has no name in the source.
struct BufferBytes {
  std::uint64_t offset = 0;
  AllocationName buffer{};
};

/// Something wrong with the program, by line of the user's own source.
struct Finding {
  FindingKind kind = FindingKind::unsupported;
  MemorySpace space = MemorySpace::none;
  AccessKind access = AccessKind::none;
  std::uint32_t size = 0;  ///< bytes a lane accesses
  Severity severity = Severity::error;
  std::string kernel;
  std::string file;
  int line = 0;
  Index3 block{};
  Index3 thread{};
  std::optional<OtherParty> other;
  std::uint64_t count = 1;    ///< occurrences folded into this one
  Message message;            ///< a sentence or two: see sentence() in words.h
  Message claim;              ///< what the message says before it gives its reason; empty: it gives none
  std::string symbol;         ///< what is accessed as the source calls it, such as "s[17]"; empty: not known
  bool null_pointer = false;  ///< the address is that of a null pointer, or close to it
  std::optional<BufferBytes> in_buffer;  ///< what is accessed, where the source has no name for it
  SourceLine inside{};  ///< the line in a header, where file and line are those of the call that leads there
  int column = 0;       ///< of the statement in the source line, from 1; 0: not known
  int nth = 0, of = 0;  ///< the statement's accesses of this kind (reads, writes or atomics): which of how
                        ///< many, in the order in which they are made; 0: not known
  std::vector<std::string>
      host_frames;                  ///< "FILE+0xOFFSET" of the calls that led to it, innermost first, where
                                    ///< it is about host code: file and line are worked out from them
  std::vector<StuckThreads> stuck;  ///< all threads of a block that cannot go on, in program order
  Cure cure;                        ///< what usually mends it
};

/// "s[17]", or "byte 20 of 4096 bytes from " the buffer; empty where it is not known what is accessed.
Message operand_of(const Finding& finding);

/// "s" of "s[17]": the variable that is accessed, without the element.
inline std::string variable_of(const Finding& finding) {
  return finding.symbol.substr(0, finding.symbol.find('['));
}

}  // namespace sim
