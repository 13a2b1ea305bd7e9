#include "simulator/remote/client/connection.h"

#include <link.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "simulator/remote/client/guards.h"
#include "simulator/remote/copies.h"

namespace sim::remote {
namespace {

Board* board = nullptr;
int lifeline = -1;

void* map_or_throw(void* at, std::size_t bytes, int protection, int flags, int fd) {
  void* mapped = mmap(at, bytes, protection, flags, fd, 0);
  if (mapped == MAP_FAILED || (at != nullptr && mapped != at))
    throw std::system_error(errno, std::generic_category(), "sharing memory with the simulator");
  return mapped;
}

using CopyOf = std::vector<std::byte>;

/// Where the rung's module lies.
struct Loaded {
  std::uintptr_t base = 0, first = 0, end = 0;
} module_lies;

}  // namespace

void note_module(const void* registration) {
  struct Sought {
    std::uintptr_t address;
    Loaded found;
  } sought{reinterpret_cast<std::uintptr_t>(registration), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& s = *static_cast<Sought*>(data);
        Loaded all{object->dlpi_addr, UINTPTR_MAX, 0};
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          all.first = std::min(all.first, all.base + segment.p_vaddr);
          all.end = std::max(all.end, all.base + segment.p_vaddr + segment.p_memsz);
        }
        if (s.address < all.first || s.address >= all.end) return 0;
        s.found = all;
        return 1;
      },
      &sought);
  module_lies = sought.found;
}

void Connection::set_caller(const void* return_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  const bool in_module = address > module_lies.first && address < module_lies.end;
  caller_ = in_module ? address - module_lies.base - 1 : 0;  // within the call, not behind it
}

void connect(int lifeline_socket) {
  lifeline = lifeline_socket;
  board =
      static_cast<Board*>(map_or_throw(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, kBoardFd));
  // Nothing else may come to lie where a device's memory seems to be, and touching it must fault.
  map_or_throw(reinterpret_cast<void*>(kDeviceMemory), kDeviceRange, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);
  map_or_throw(reinterpret_cast<void*>(kHostMemory), kHostRange, PROT_NONE,
               MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, kHostMemoryFd);
}

Connection& Connection::mine() {
  thread_local Connection line;
  return line;
}

Connection::Connection() : slot_(nullptr) {
  for (;; sched_yield())
    for (Slot& slot : board->slots) {
      std::uint32_t free = 0;
      if (!slot.taken.compare_exchange_strong(free, 1)) continue;
      slot_ = &slot;
      return;
    }
}

Connection::~Connection() {
  exchange(Kind::bye, 0, 0, 0);
  slot_->taken.store(0);
}

std::span<std::byte> Connection::arguments() const {
  return std::span(slot_->payload).subspan(sizeof(CallHead));
}

void Connection::exchange(Kind kind, std::uint32_t call, std::uint64_t result, std::size_t bytes) {
  slot_->kind = kind;
  slot_->call = call;
  slot_->result = result;
  slot_->bytes = static_cast<std::uint32_t>(bytes);
  for (;;) {
    pass(*slot_, Slot::simulator);
    await(*slot_, Slot::program, lifeline);
    if (slot_->kind != Kind::callback) return;
    Callback back;
    std::memcpy(&back, slot_->payload, sizeof(back));
    if (slot_->call == static_cast<std::uint32_t>(Call::host_function))
      reinterpret_cast<cudaHostFn_t>(back.function)(reinterpret_cast<void*>(back.data));
    else
      reinterpret_cast<cudaStreamCallback_t>(back.function)(reinterpret_cast<cudaStream_t>(back.stream),
                                                            static_cast<cudaError_t>(slot_->result),
                                                            reinterpret_cast<void*>(back.data));
    slot_->kind = Kind::resume;
  }
}

/// A call without pageable memory whose arguments lie in their place.
void Connection::plain_call(Call which, std::size_t argument_bytes) {
  CallHead head{};
  head.argument_bytes = static_cast<std::uint32_t>(argument_bytes);
  std::memcpy(slot_->payload, &head, sizeof(head));
  exchange(Kind::call, static_cast<std::uint32_t>(which), 0, sizeof(head) + argument_bytes);
}

/// What the guards have caught is told before the call, whose own business with the memory is none of theirs.
void Connection::report_guard_hits(std::size_t argument_bytes) {
  const std::vector<GuardHit> touches = lift_guards();
  if (touches.empty()) return;
  const CopyOf packed(arguments().begin(), arguments().begin() + static_cast<std::ptrdiff_t>(argument_bytes));
  for (const GuardHit& touch : touches) {
    Packer(arguments()).put(&touch, sizeof(touch));
    plain_call(Call::touched, sizeof(touch));
  }
  Packer(arguments()).put(packed.data(), packed.size());
}

/// Guards what the simulator says. The call's own answer, in the slot, is kept.
void Connection::fetch_guards() {
  if (slot_->guards == 0) return;
  const std::uint64_t result = slot_->result;
  const std::size_t bytes = std::min<std::size_t>(slot_->bytes, Slot::kBytes);
  const CopyOf answer(slot_->payload, slot_->payload + bytes);
  plain_call(Call::guards, 0);
  Unpacker from(
      std::span<const std::byte>(slot_->payload).first(std::min<std::size_t>(slot_->bytes, Slot::kBytes)));
  std::vector<cudart::GuardedPages> pages;
  while (!from.rest().empty()) pages.push_back(from.take<cudart::GuardedPages>());
  std::copy(answer.begin(), answer.end(), slot_->payload);
  slot_->bytes = static_cast<std::uint32_t>(bytes);
  slot_->result = result;
  set_guards(pages);
}

Unpacker Connection::call(Call which, std::size_t argument_bytes) {
  report_guard_hits(argument_bytes);
  CallHead head{};
  head.argument_bytes = static_cast<std::uint32_t>(argument_bytes);
  std::vector<HostSide> sides;
  try {
    sides = host_sides(which, arguments().first(argument_bytes));
  } catch (const BadCall&) {  // extents that overflow: the simulator will say so
  }
  if (!sides.empty()) {
    const CopyOf packed(arguments().begin(),
                        arguments().begin() + static_cast<std::ptrdiff_t>(argument_bytes));
    for (HostSide& side : sides) {
      if (side.other != 0 &&
          (is_device_memory(reinterpret_cast<void*>(side.other)) || is_shared(side.other))) {
        // A size that the device's side does not have is refused before a byte is read.
        Packer(arguments()).put(&side.other, sizeof(side.other));
        plain_call(Call::readable, sizeof(side.other));
        side.bytes = std::min(side.bytes, slot_->result);
      }
      const std::uint32_t index = head.regions++;
      head.region[index] = {side.bytes, side.argument, side.written};
      const auto* from = reinterpret_cast<const std::byte*>(side.address);
      exchange(Kind::stage, index, side.bytes, 0);
      // What is written is sent as well: between the rows of a pitched copy everything stays as it was.
      for (std::uint64_t at = 0; at < side.bytes; at += Slot::kBytes) {
        const std::size_t n = std::min<std::uint64_t>(Slot::kBytes, side.bytes - at);
        std::memcpy(slot_->payload, from + at, n);
        exchange(Kind::stage, index, at, n);
      }
    }
    Packer(arguments()).put(packed.data(), packed.size());
  }
  head.caller = std::exchange(caller_, 0);
  std::memcpy(slot_->payload, &head, sizeof(head));
  exchange(Kind::call, static_cast<std::uint32_t>(which), 0, sizeof(head) + argument_bytes);
  fetch_guards();
  const std::uint64_t result = slot_->result;
  if (std::none_of(sides.begin(), sides.end(), [](const HostSide& side) { return side.written; }))
    return Unpacker(
        std::span<const std::byte>(slot_->payload).first(std::min<std::size_t>(slot_->bytes, Slot::kBytes)));
  for (std::uint32_t index = 0; index < sides.size(); ++index) {
    if (!sides[index].written || result != cudaSuccess) continue;
    for (std::uint64_t at = 0; at < sides[index].bytes;) {
      exchange(Kind::fetch, index, at, 0);
      const std::size_t n = std::min<std::uint64_t>(slot_->bytes, sides[index].bytes - at);
      if (n == 0) break;
      std::memcpy(reinterpret_cast<std::byte*>(sides[index].address) + at, slot_->payload, n);
      at += n;
    }
  }
  slot_->result = result;
  return Unpacker({});  // copies put out nothing else
}

}  // namespace sim::remote
