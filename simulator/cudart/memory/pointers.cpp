#include "simulator/cudart/memory/pointers.h"

#include "language/catalogue.h"

#include "simulator/cudart/device/device.h"

namespace sim::cudart {
namespace {

using memory::Allocation;
using memory::Kind;

[[noreturn]] void bad(const char* call, const Message& what) {
  refuse(cudaErrorInvalidValue, FindingKind::memcpy, Message("{}: {}", ApiCall{call}, what));
}

Message name(const Allocation& a) { return Message("a buffer of {} bytes ({})", a.size, a.name()); }

}  // namespace

ResolvedPointer resolve_pointer(const void* pointer, std::size_t bytes, const char* call, const char* role,
                                MemorySide side) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (!pointer) bad(call, Message("the {} is a null pointer", tr(role)));
  Device& d = device();
  const Allocation* allocation = d.space.find(address);
  // Host memory that is no longer page-locked, or only in part, is ordinary host memory to a copy.
  if (allocation && allocation->registered && (allocation->freed || !allocation->contains(address, bytes)))
    allocation = nullptr;
  if (!allocation) {
    if (side == MemorySide::device) {
      bad(call, Message("the {} should be device memory by the copy's kind, but it is host memory; are the "
                        "arguments or the kind the wrong way round?",
                        tr(role)));
    }
    return {reinterpret_cast<std::byte*>(address), nullptr, false, false};
  }
  if (allocation->freed) {
    bad(call, Message("the {} lies in {}, which was freed before", tr(role), name(*allocation)));
  }
  if (!allocation->contains(address, bytes)) {
    bad(call, Message("the {} is {}; {} bytes from there do not fit. Sizes are in bytes: is there a "
                      "sizeof missing or one too many?",
                      tr(role), d.space.describe(address).words, bytes));
  }
  const bool device_only = allocation->kind == Kind::device || allocation->kind == Kind::symbol;
  if (side == MemorySide::host && device_only) {
    bad(call, Message("the {} should be host memory by the copy's kind, but it is device memory, {}; are the "
                      "arguments or the kind the wrong way round?",
                      tr(role), name(*allocation)));
  }
  const std::uint64_t offset = address - allocation->base;
  ResolvedPointer place{allocation->host + offset, allocation, device_only, !device_only};
  if (allocation->kind == Kind::managed) place.on_device = d.managed.on_device(allocation, offset);
  return place;
}

}  // namespace sim::cudart
