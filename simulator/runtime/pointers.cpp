#include "simulator/runtime/pointers.h"

#include <fmt/format.h>

#include <map>

#include "simulator/runtime/device.h"

namespace sim::runtime {
namespace {

using memory::Allocation;
using memory::Kind;

/// Registered host ranges: start and size.
std::map<std::uint64_t, std::size_t>& registered() {
  static auto& all = *new std::map<std::uint64_t, std::size_t>;
  return all;
}

bool is_registered(std::uint64_t address) {
  auto next = registered().upper_bound(address);
  if (next == registered().begin()) return false;
  --next;
  return address - next->first < next->second;
}

[[noreturn]] void bad(const char* call, const std::string& what) {
  refuse(cudaErrorInvalidValue, "memcpy", fmt::format("{}: {}", call, what));
}

std::string name(const Allocation& a) { return fmt::format("a buffer of {} bytes ({})", a.size, a.origin); }

}  // namespace

Place place_of(const void* pointer, std::size_t bytes, const char* call, const char* role, Side side) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (!pointer) bad(call, fmt::format("the {} is a null pointer", role));
  Device& d = device();
  const Allocation* allocation = d.space.find(address);
  if (!allocation) {
    if (side == Side::device) {
      bad(call,
          fmt::format("the {} should be device memory by the copy's kind, but it is host memory; are the "
                      "arguments or the kind the wrong way round?",
                      role));
    }
    return {reinterpret_cast<std::byte*>(address), nullptr, false, is_registered(address)};
  }
  if (allocation->freed) {
    bad(call, fmt::format("the {} lies in {}, which was freed before", role, name(*allocation)));
  }
  if (!allocation->contains(address, bytes)) {
    bad(call, fmt::format("the {} is {}; {} bytes from there do not fit. Sizes are in bytes: is there a "
                          "sizeof missing or one too many?",
                          role, d.space.describe(address), bytes));
  }
  const bool device_only = allocation->kind == Kind::device || allocation->kind == Kind::symbol;
  if (side == Side::host && device_only) {
    bad(call,
        fmt::format("the {} should be host memory by the copy's kind, but it is device memory, {}; are the "
                    "arguments or the kind the wrong way round?",
                    role, name(*allocation)));
  }
  const std::uint64_t offset = address - allocation->base;
  Place place{allocation->host + offset, allocation, device_only, !device_only};
  if (allocation->kind == Kind::managed) place.on_device = d.managed.on_device(allocation, offset);
  return place;
}

bool is_registered(const void* pointer) { return is_registered(reinterpret_cast<std::uint64_t>(pointer)); }

void register_host(const void* pointer, std::size_t bytes) {
  registered()[reinterpret_cast<std::uint64_t>(pointer)] = bytes;
}

bool unregister_host(const void* pointer) {
  return registered().erase(reinterpret_cast<std::uint64_t>(pointer)) > 0;
}

}  // namespace sim::runtime
