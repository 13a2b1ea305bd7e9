// One thread of the program, as the simulator serves it. Requests are copied out of the shared memory before
// they are read.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <thread>

#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/remote/codec.h"
#include "simulator/remote/copies.h"
#include "simulator/remote/server/callbacks.h"
#include "simulator/remote/server/modules.h"
#include "simulator/remote/server/server.h"

namespace sim::remote {
namespace {

constexpr std::uint64_t kMostStaged = std::uint64_t{8}
                                      << 30;  ///< bytes of one region; more cannot be a mistake

/// A function of the API called with packed arguments.
using Function = std::uint64_t (*)(Unpacker, Packer&);
constexpr Function kFunctions[] = {
#define SIM_ENTRY(name) [](Unpacker from, Packer& back) { return call_packed(&::name, from, back); },
    SIM_REMOTE_CALLS(SIM_ENTRY)
#undef SIM_ENTRY
};
static_assert(std::size(kFunctions) == static_cast<std::size_t>(Call::functions));

class Serving {
 public:
  Serving(Server& server, Slot& slot) : server_(server), slot_(slot), request_(Slot::kBytes) {}

  /// Until the program's thread ends.
  void go_on() {
    call_back_through(slot_);
    for (;;) {
      await(slot_, Slot::simulator);
      const Kind kind = slot_.kind;
      const std::uint32_t call = slot_.call, bytes = std::min<std::uint32_t>(slot_.bytes, Slot::kBytes);
      const std::uint64_t word = slot_.result;
      std::copy_n(slot_.payload, bytes, request_.data());
      slot_.bytes = 0;
      if (kind == Kind::stage)
        stage(call, word, std::span(request_).first(bytes));
      else if (kind == Kind::fetch)
        fetch(call, word);
      else if (kind == Kind::call)
        answer(static_cast<Call>(call), std::span(request_).first(bytes));
      slot_.kind = Kind::done;
      pass(slot_, Slot::program);
      if (kind == Kind::bye) return;
    }
  }

 private:
  void answer(Call which, std::span<std::byte> request) {
    server_.gate().enter();
    std::uint64_t result = cudaErrorInvalidValue;
    Packer back(slot_.payload);
    try {
      result = perform(which, request, back);
    } catch (const BadCall&) {
    } catch (const std::bad_alloc&) {
      result = cudaErrorMemoryAllocation;
    }
    server_.gate().leave();
    slot_.bytes = static_cast<std::uint32_t>(back.used());
    slot_.result = result;
    slot_.guards = static_cast<std::uint32_t>(guards());
  }

  std::uint64_t perform(Call which, std::span<std::byte> request, Packer& back) {
    Unpacker from(request);
    const auto head = from.take<CallHead>();
    const std::size_t begin = sizeof(CallHead);
    if (head.argument_bytes != request.size() - begin || head.regions > kMostRegions) throw BadCall();
    const std::span<std::byte> arguments = request.subspan(begin);
    cudart::set_remote_caller(server_.module_path(), head.caller);
    if (which >= Call::functions) return perform_special(server_, which, Unpacker(arguments), back);
    place_regions(which, head, arguments);
    if (which == Call::cudaHostRegister_) forbid_unshared(Unpacker(arguments));
    return kFunctions[static_cast<std::size_t>(which)](Unpacker(arguments), back);
  }

  /// Puts the simulator's copies of pageable memory in the place of the program's. A copy must not reach
  /// memory that was not sent, which would be the simulator's own.
  void place_regions(Call which, const CallHead& head, std::span<std::byte> arguments) {
    for (const HostSide& side : host_sides(which, arguments)) {
      const auto* const end = head.region + head.regions;
      const auto* const sent =
          std::find_if(head.region, end, [&](const Region& r) { return r.argument == side.argument; });
      if (sent == end) throw BadCall();
      std::vector<std::byte>& copy = regions_[static_cast<std::size_t>(sent - head.region)];
      if (copy.size() < side.bytes && !is_refused(side)) throw BadCall();
      const std::uint64_t here = reinterpret_cast<std::uint64_t>(copy.data());
      std::memcpy(arguments.data() + side.argument, &here, sizeof(here));
    }
  }

  /// What a kernel is to use at the host's address must be the program's memory, and not the simulator's.
  static void forbid_unshared(Unpacker from) {
    const auto address = from.take<std::uint64_t>(), bytes = from.take<std::uint64_t>();
    if (address != 0 && !is_shared(address, bytes)) throw BadCall();
  }

  /// Whether the device's side of a copy has less than it asks for: the call says so
  /// before it moves anything.
  static bool is_refused(const HostSide& side) {
    return side.other != 0 && readable(side.other) < side.bytes;
  }

  void stage(std::uint32_t index, std::uint64_t word, std::span<const std::byte> bytes) {
    if (index >= kMostRegions) return;
    std::vector<std::byte>& copy = regions_[index];
    if (bytes.empty()) {  // a new one of so many bytes
      copy.clear();
      try {
        copy.resize(word <= kMostStaged ? word : 0);
      } catch (const std::bad_alloc&) {
      }
    } else if (word <= copy.size() && bytes.size() <= copy.size() - word) {
      std::memcpy(copy.data() + word, bytes.data(), bytes.size());
    }
  }

  void fetch(std::uint32_t index, std::uint64_t offset) {
    if (index >= kMostRegions || offset >= regions_[index].size()) return;
    const std::size_t n = std::min<std::size_t>(Slot::kBytes, regions_[index].size() - offset);
    std::memcpy(slot_.payload, regions_[index].data() + offset, n);
    slot_.bytes = static_cast<std::uint32_t>(n);
  }

  Server& server_;
  Slot& slot_;
  std::vector<std::byte> request_;
  std::array<std::vector<std::byte>, kMostRegions> regions_;
};

}  // namespace

void serve(Server& server, Slot& slot) {
  // What the API keeps for each thread of the program, such as its last error, is this thread's own.
  for (;;) std::thread([&] { Serving(server, slot).go_on(); }).join();
}

}  // namespace sim::remote
