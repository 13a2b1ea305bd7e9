#include "simulator/report/memory_access.h"

namespace sim {

const char* to_string(MemorySpace space) {
  switch (space) {
    case MemorySpace::none:
      return "";
    case MemorySpace::global:
      return "global";
    case MemorySpace::shared:
      return "shared";
    case MemorySpace::local:
      return "local";
    case MemorySpace::constant:
      return "constant";
    case MemorySpace::host:
      return "host";
  }
  return "";
}

std::optional<MemorySpace> memory_space(const std::string& name) {
  for (int i = 0; i <= int(MemorySpace::host); ++i)
    if (name == to_string(MemorySpace(i))) return MemorySpace(i);
  return std::nullopt;
}

const char* to_string(AccessKind kind) {
  switch (kind) {
    case AccessKind::none:
      return "";
    case AccessKind::read:
      return "read";
    case AccessKind::write:
      return "write";
    case AccessKind::atomic:
      return "atomic";
    case AccessKind::exit:
      return "exit";
    case AccessKind::barrier:
      return "barrier";
    case AccessKind::wait:
      return "wait";
  }
  return "";
}

std::optional<AccessKind> access_kind(const std::string& name) {
  for (int i = 0; i <= int(AccessKind::wait); ++i)
    if (name == to_string(AccessKind(i))) return AccessKind(i);
  return std::nullopt;
}

const char* verb_of(AccessKind access) {
  switch (access) {
    case AccessKind::read:
      return "reads";
    case AccessKind::write:
      return "writes";
    case AccessKind::atomic:
      return "updates";
    case AccessKind::exit:
      return "leaves";
    case AccessKind::none:
    case AccessKind::barrier:
    case AccessKind::wait:
      return "waits";
  }
  return "";
}

const char* instruction_name(AccessKind kind) {
  if (kind == AccessKind::read) return "load";
  return kind == AccessKind::write ? "store" : to_string(kind);
}

}  // namespace sim
