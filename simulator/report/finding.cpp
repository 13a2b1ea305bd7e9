#include "simulator/report/finding.h"

namespace sim {
namespace {

constexpr int kKinds = int(FindingKind::unsupported) + 1;

}  // namespace

const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
      return "race";
    case FindingKind::out_of_bounds:
      return "out-of-bounds";
    case FindingKind::use_after_free:
      return "use-after-free";
    case FindingKind::uninitialized:
      return "uninitialized";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::barrier:
      return "barrier";
    case FindingKind::mask:
      return "mask";
    case FindingKind::hang:
      return "hang";
    case FindingKind::assert:
      return "assert";
    case FindingKind::trap:
      return "trap";
    case FindingKind::illegal_instruction:
      return "illegal-instruction";
    case FindingKind::launch:
      return "launch";
    case FindingKind::memcpy:
      return "memcpy";
    case FindingKind::free:
      return "free";
    case FindingKind::leak:
      return "leak";
    case FindingKind::texture:
      return "texture";
    case FindingKind::descriptor:
      return "descriptor";
    case FindingKind::stored_again:
      return "stored-again";
    case FindingKind::waits:
      return "waits";
    case FindingKind::unsupported:
      return "unsupported";
  }
  return "";
}

std::optional<FindingKind> finding_kind(const std::string& name) {
  for (int i = 0; i < kKinds; ++i)
    if (name == to_string(FindingKind(i))) return FindingKind(i);
  return std::nullopt;
}

Message operand_of(const Finding& finding) {
  if (!finding.in_buffer) return finding.symbol;
  const auto& [offset, buffer] = *finding.in_buffer;
  return Message("byte {} of {} bytes from {}", offset, buffer.size, buffer);
}

const char* to_string(Severity severity) { return severity == Severity::error ? "error" : "note"; }

}  // namespace sim
