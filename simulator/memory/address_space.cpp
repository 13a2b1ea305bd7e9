#include "simulator/memory/address_space.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "language/catalogue.h"
#include "simulator/memory/arena.h"
#include "simulator/memory/placement.h"
#include "simulator/memory/registered.h"

namespace sim::memory {

struct AddressSpace::State {
  const Placement place = placement();
  Arena device{place.device};  // never accessible by the host
  // Managed and pinned: accessible where allocated.
  Arena shared{place.shared, place.shared_bytes != 0 ? place.shared_bytes : Arena::kMost};
  RegisteredMemory registered;
  std::mutex lock;
  std::uint64_t capacity = 16ull << 30;
  std::atomic<std::uint64_t> in_use{0};

  const Arena* holding(std::uint64_t address) const {
    if (device.holds(address)) return &device;
    return shared.holds(address) ? &shared : nullptr;
  }
};

namespace {

/// Where a file is the shared memory, the pages at the same place of it.
void open_file_pages(int fd, std::uint64_t base, std::uint64_t bytes, std::uint64_t offset) {
  void* at = reinterpret_cast<void*>(base);
  if (mmap(at, round_up(bytes, kPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
           static_cast<off_t>(offset)) != at)
    throw std::bad_alloc();
}

constexpr std::uint64_t kGiant = 1ull << 30;

std::byte* map_pages(std::uint64_t bytes) {
  void* pages = mmap(nullptr, round_up(bytes, kPage), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= kGiant)
    madvise(pages, bytes, MADV_NOHUGEPAGE);  // of a giant buffer little is used, here and there
  return static_cast<std::byte*>(pages);
}

void open_pages(std::uint64_t base, std::uint64_t bytes) {
  void* at = reinterpret_cast<void*>(base);
  if (mprotect(at, round_up(bytes, kPage), PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

/// Puts an inaccessible, uncommitted mapping over the pages: the bytes are gone, the addresses stay taken.
void close_pages(std::uint64_t base, std::uint64_t bytes) {
  mmap(reinterpret_cast<void*>(base), round_up(bytes, kPage), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/// Where an address is from a buffer's point of view.
AddressInWords beside(const Allocation& a, std::uint64_t address) {
  const auto words = [&]() -> Message {
    const Message name = a.freed ? Message("the freed buffer of {} bytes ({})", a.size, a.name())
                                 : Message("the buffer of {} bytes ({})", a.size, a.name());
    if (address < a.base) return Message("{} bytes before the start of {}", a.base - address, name);
    const std::uint64_t offset = address - a.base;
    if (offset < a.size) return Message("byte {} of {}", offset, name);
    if (offset == a.size) return Message("just past the end of {}", name);
    return Message("{} bytes past the end of {}", offset - a.size, name);
  };
  return {.words = words(), .near_buffer = true};
}

}  // namespace

AddressSpace::AddressSpace() : state_(std::make_unique<State>()) {}

AddressSpace::~AddressSpace() {
  for (std::size_t i = 0; i < state_->device.count(); ++i) {
    const Allocation& a = state_->device.at(i);
    if (a.host != nullptr) munmap(a.host, round_up(a.size, kPage));
  }
}

void AddressSpace::set_capacity(std::uint64_t bytes) {
  std::lock_guard hold(state_->lock);
  state_->capacity = bytes;
}

std::uint64_t AddressSpace::capacity() const {
  std::lock_guard hold(state_->lock);
  return state_->capacity;
}

Allocation* AddressSpace::allocate(std::uint64_t bytes, Kind kind, std::string origin) {
  std::lock_guard hold(state_->lock);
  if (bytes > state_->capacity - std::min(state_->capacity, bytes_in_use())) throw std::bad_alloc();
  const bool host_visible = kind == Kind::managed || kind == Kind::pinned;
  std::byte* backing = bytes == 0 || host_visible ? nullptr : map_pages(bytes);
  Allocation* fresh = (host_visible ? state_->shared : state_->device).append(bytes);
  if (host_visible && bytes != 0) {
    if (state_->place.shared_fd >= 0)
      open_file_pages(state_->place.shared_fd, fresh->base, bytes, fresh->base - state_->shared.begin());
    else
      open_pages(fresh->base, bytes);
    backing = reinterpret_cast<std::byte*>(fresh->base);
  }
  fresh->host = backing;
  fresh->kind = kind;
  fresh->origin = std::move(origin);
  state_->in_use += bytes;
  return fresh;
}

Allocation* AddressSpace::register_host(std::uint64_t base, std::uint64_t bytes, std::string origin) {
  std::lock_guard hold(state_->lock);
  Allocation* fresh = state_->registered.add(base, bytes);
  fresh->origin = std::move(origin);
  return fresh;
}

void AddressSpace::free(Allocation* allocation) {
  std::lock_guard hold(state_->lock);
  if (allocation->freed) return;
  allocation->freed = true;
  if (allocation->registered) return;
  state_->in_use -= allocation->size;
  if (allocation->host == nullptr) return;
  if (state_->shared.holds(allocation->base)) {
    close_pages(allocation->base, allocation->size);
    if (state_->place.shared_fd >= 0)
      fallocate(state_->place.shared_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(allocation->base - state_->shared.begin()),
                static_cast<off_t>(round_up(allocation->size, kPage)));
  } else {
    munmap(allocation->host, round_up(allocation->size, kPage));
  }
  allocation->host = nullptr;
}

const Allocation* AddressSpace::find(std::uint64_t address) const {
  const Arena* arena = state_->holding(address);
  if (arena == nullptr) return state_->registered.find(address);
  const std::size_t index = arena->last_not_above(address);
  if (index == arena->count()) return nullptr;
  const Allocation& below = arena->at(index);
  return address - below.base < std::max<std::uint64_t>(below.reserved, 1) ? &below : nullptr;
}

Allocation* AddressSpace::find_base(std::uint64_t base) {
  auto* found = const_cast<Allocation*>(find(base));
  return found != nullptr && found->base == base ? found : nullptr;
}

std::uint64_t AddressSpace::bytes_in_use() const { return state_->in_use; }

std::vector<const Allocation*> AddressSpace::live() const {
  std::vector<const Allocation*> found;
  for (const Arena* arena : {&state_->device, &state_->shared})
    for (std::size_t i = 0; i < arena->count(); ++i)
      if (!arena->at(i).freed) found.push_back(&arena->at(i));
  state_->registered.live(found);
  return found;
}

AddressInWords AddressSpace::describe(std::uint64_t address) const {
  const Arena* arena = state_->holding(address);
  const std::size_t index = arena == nullptr ? 0 : arena->last_not_above(address);
  const std::size_t none = arena == nullptr ? 0 : arena->count();
  if (arena == nullptr) {
    const Allocation* a = state_->registered.find(address);
    if (a == nullptr) a = state_->registered.near(address);
    if (a != nullptr) return beside(*a, address);
    return address < kPage ? AddressInWords{.words = tr("the null pointer"), .null_pointer = true}
                           : AddressInWords{.words = tr("an address that is not device memory")};
  }

  // Nearer to the start of the next buffer than to the end of this one: an index below zero.
  const std::size_t next = index == none ? 0 : index + 1;
  const std::uint64_t past =
      index == none ? ~0ull : address - std::min(address, arena->at(index).base + arena->at(index).size);
  if (next < none) {
    const std::uint64_t before = arena->at(next).base - address;
    if (before < past && before <= kFarthestIndex) return beside(arena->at(next), address);
  }
  if (index != none && past > kFarthestIndex)
    return {.words = tr("far from every buffer"), .near_buffer = true};
  if (index == none) return {.words = tr("an address before every buffer"), .near_buffer = true};
  return beside(arena->at(index), address);
}

}  // namespace sim::memory
