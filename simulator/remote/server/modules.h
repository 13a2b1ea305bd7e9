// Calls that are no functions of the API, on the simulator's side: modules, launches, callbacks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/remote/calls.h"
#include "simulator/remote/codec.h"
#include "simulator/remote/server/server.h"

namespace sim::remote {

/// @return the call's result. @throws BadCall
std::uint64_t perform_special(Server& server, Call which, Unpacker from, Packer& back);

/// Where a kernel's parameter stands among the bytes of all.
struct Parameter {
  std::uint64_t offset, bytes;
};

/// The values of a kernel's parameters, out of a message.
class Arguments {
 public:
  Arguments(const void* function, std::span<const std::byte> bytes);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  /// One pointer for each parameter; null where the message has not all of them.
  void** list() { return pointers_.empty() ? nullptr : pointers_.data(); }

 private:
  std::vector<std::byte> bytes_;
  std::vector<void*> pointers_;
};

/// Where they stand, as PTX lays them out. Of a kernel that cannot be loaded there are none:
/// its launch says why.
std::vector<Parameter> parameters_of(const void* function);

/// Bytes from an address of device or host-visible memory to the end of what was
/// allocated there; 0 elsewhere.
std::uint64_t readable(std::uint64_t address);

/// How many ranges of pages the program is to guard.
std::size_t guards();

}  // namespace sim::remote
