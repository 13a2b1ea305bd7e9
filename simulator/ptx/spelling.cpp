// Hand-written PTX (inline assembly, the toolkit's own included) orders some qualifiers in other ways than
// nvcc does, and ptxas takes both: `atom.add.release.gpu.u32` and `vote.ballot.sync.b32`. Here every form
// gets nvcc's order.
#include "simulator/ptx/spelling.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sim::ptx {
namespace {

template <std::size_t kCount>
bool among(const std::string& word, const std::array<std::string_view, kCount>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Place of a qualifier of atom and red: semantics, scope, space, then the operation and its type.
int place(const std::string& qualifier) {
  static constexpr std::array<std::string_view, 5> kSemantics{"relaxed", "acquire", "release", "acq_rel",
                                                              "sc"};
  static constexpr std::array<std::string_view, 4> kScopes{"cta", "cluster", "gpu", "sys"};
  static constexpr std::array<std::string_view, 4> kSpaces{"global", "shared", "shared::cta",
                                                           "shared::cluster"};
  if (among(qualifier, kSemantics)) return 0;
  if (among(qualifier, kScopes)) return 1;
  return among(qualifier, kSpaces) ? 2 : 3;
}

}  // namespace

void order_qualifiers(Instruction& instruction) {
  auto& list = instruction.qualifiers;
  if (instruction.opcode == "atom" || instruction.opcode == "red") {
    std::stable_sort(list.begin(), list.end(),
                     [](const std::string& a, const std::string& b) { return place(a) < place(b); });
  } else if (instruction.opcode == "vote") {
    std::stable_partition(list.begin(), list.end(), [](const std::string& q) { return q == "sync"; });
  }
}

}  // namespace sim::ptx
