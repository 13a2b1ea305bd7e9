// What the processor says of an access that a signal's handler is told of.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstring>
#include <optional>
#if defined(__aarch64__)
#include <asm/sigcontext.h>
#endif

namespace sim {

/// Whether the access was a write.
/// @param context  third argument of the handler, which may call this
/// @return nothing where this machine does not say
inline std::optional<bool> fault_wrote(const void* context) {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  constexpr long kWriteBit = 2;
  return (machine.gregs[REG_ERR] & kWriteBit) != 0;
#elif defined(__aarch64__)
  constexpr unsigned long kWriteNotRead = 1 << 6;  // WnR of the exception syndrome register
  for (std::size_t at = 0; at + sizeof(esr_context) <= sizeof machine.__reserved;) {
    _aarch64_ctx head;
    std::memcpy(&head, machine.__reserved + at, sizeof head);
    if (head.magic == ESR_MAGIC) {
      esr_context record;
      std::memcpy(&record, machine.__reserved + at, sizeof record);
      return (record.esr & kWriteNotRead) != 0;
    }
    if (head.magic == 0 || head.size < sizeof head) break;
    at += head.size;
  }
  return std::nullopt;
#else
  return std::nullopt;
#endif
}

/// An address behind the first byte of the instruction that made the access, as a return address is looked
/// up; null where this machine does not say.
inline void* fault_instruction(const void* context) {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(machine.gregs[REG_RIP] + 1);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(machine.pc + 1);
#else
  return nullptr;
#endif
}

}  // namespace sim
