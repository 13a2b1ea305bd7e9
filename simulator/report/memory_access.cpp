#include "simulator/report/memory_access.h"

#include "language/catalogue.h"

namespace sim {

const char* to_string(MemorySpace space) {
  switch (space) {
    case MemorySpace::none:
      return "";
    case MemorySpace::global:
      return tr_noop("global");
    case MemorySpace::shared:
      return tr_noop("shared");
    case MemorySpace::local:
      return tr_noop("local");
    case MemorySpace::constant:
      return tr_noop("constant");
    case MemorySpace::host:
      return tr_noop("host");
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
      return tr("reads");
    case AccessKind::write:
      return tr("writes");
    case AccessKind::atomic:
      return tr("updates");
    case AccessKind::exit:
      return tr("leaves");
    case AccessKind::none:
    case AccessKind::barrier:
    case AccessKind::wait:
      return tr("waits");
  }
  return "";
}

const char* instruction_name(AccessKind kind) {
  if (kind == AccessKind::read) return "load";
  return kind == AccessKind::write ? "store" : to_string(kind);
}

}  // namespace sim
