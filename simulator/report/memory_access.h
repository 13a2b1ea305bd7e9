// Where memory lies and what a thread does with it, as findings and counters name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sim {

enum class MemorySpace : std::uint8_t { none, global, shared, local, constant, host };

/// What a thread did: an access, or in a mismatch of barriers what it does in place of coming there.
enum class AccessKind : std::uint8_t { none, read, write, atomic, exit, barrier, wait };

/// "shared"; "" for none
const char* to_string(MemorySpace space);
/// The space of that name, if there is one.
std::optional<MemorySpace> memory_space(const std::string& name);

/// "read"; "" for none
const char* to_string(AccessKind kind);
/// The kind of that name, if there is one.
std::optional<AccessKind> access_kind(const std::string& name);

/// "reads", "writes", "updates", "leaves" or "waits": what "thread (1,0,0) ..." does.
const char* verb_of(AccessKind access);

/// "load", "store" or "atomic": what the instruction is called.
const char* instruction_name(AccessKind kind);

}  // namespace sim
