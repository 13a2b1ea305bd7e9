#include "simulator/report/finding.h"

#include "language/catalogue.h"

namespace sim {
namespace {

constexpr int kKinds = int(FindingKind::unsupported) + 1;

}  // namespace

const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::race:
      return tr_noop("race");
    case FindingKind::out_of_bounds:
      return tr_noop("out-of-bounds");
    case FindingKind::use_after_free:
      return tr_noop("use-after-free");
    case FindingKind::uninitialized:
      return tr_noop("uninitialized");
    case FindingKind::misaligned:
      return tr_noop("misaligned");
    case FindingKind::barrier:
      return tr_noop("barrier");
    case FindingKind::mask:
      return tr_noop("mask");
    case FindingKind::hang:
      return tr_noop("hang");
    case FindingKind::assert:
      return tr_noop("assert");
    case FindingKind::trap:
      return tr_noop("trap");
    case FindingKind::illegal_instruction:
      return tr_noop("illegal-instruction");
    case FindingKind::launch:
      return tr_noop("launch");
    case FindingKind::memcpy:
      return tr_noop("memcpy");
    case FindingKind::free:
      return tr_noop("free");
    case FindingKind::leak:
      return tr_noop("leak");
    case FindingKind::texture:
      return tr_noop("texture");
    case FindingKind::descriptor:
      return tr_noop("descriptor");
    case FindingKind::stored_again:
      return tr_noop("stored-again");
    case FindingKind::waits:
      return tr_noop("waits");
    case FindingKind::unsupported:
      return tr_noop("unsupported");
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

const char* to_string(Severity severity) {
  return severity == Severity::error ? tr_noop("error") : tr_noop("note");
}

}  // namespace sim
