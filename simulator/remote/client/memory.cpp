// Memory that both the program and the kernels may access: the program opens the pages of what it is given.
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

#include "simulator/remote/client/connection.h"
#include "simulator/remote/client/host_memory.h"
#include "simulator/remote/copies.h"

namespace sim::remote {
namespace {

constexpr std::size_t kPage = 4096;

std::mutex lock;
std::map<void*, std::size_t>& open_ranges() {
  static auto& all = *new std::map<void*, std::size_t>;
  return all;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void close_pages(void* address) {
  std::lock_guard hold(lock);
  const auto found = open_ranges().find(address);
  if (found == open_ranges().end()) return;
  mprotect(address, whole_pages(found->second), PROT_NONE);
  open_ranges().erase(found);
}

template <class... A>
cudaError_t allocate(Call which, void** pointer, A... arguments) {
  Connection& line = Connection::mine();
  Packer to(line.arguments());
  pack(to, pointer);
  std::size_t bytes = 0;
  const auto first = [&](std::size_t n, auto...) { bytes = n; };
  first(arguments...);
  (pack(to, arguments), ...);
  Unpacker from = line.call(which, to.used());
  const auto result = static_cast<cudaError_t>(line.result());
  unpack_back(from, pointer);
  if (result == cudaSuccess && pointer != nullptr && *pointer != nullptr) open_pages(*pointer, bytes);
  return result;
}

cudaError_t release(Call which, void* pointer) {
  (void)ask(which, pointer);
  const auto result = static_cast<cudaError_t>(Connection::mine().result());
  if (result == cudaSuccess && pointer != nullptr) close_pages(pointer);
  return result;
}

/// Has the simulator see pages of the program's own: they move into the file that both have, at
/// the addresses they have.
bool share_pages(std::uint64_t first, std::uint64_t bytes) {
  (void)ask(Call::share_pages, Pages{first, bytes});
  const std::uint64_t offset = Connection::mine().result();
  if (offset == 0) return false;
  void* const there =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kHostMemoryFd, static_cast<off_t>(offset));
  if (there == MAP_FAILED) return false;
  std::memcpy(there, reinterpret_cast<void*>(first), bytes);
  const bool moved = mremap(there, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                            reinterpret_cast<void*>(first)) != MAP_FAILED;
  if (moved) share(first, bytes);
  return moved;
}

}  // namespace

void open_pages(void* address, std::size_t bytes) {
  if (!is_host_visible(address) || mprotect(address, whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) return;
  std::lock_guard hold(lock);
  open_ranges()[address] = bytes;
}

}  // namespace sim::remote

using namespace sim::remote;

extern "C" {

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  Connection::mine().set_caller(__builtin_return_address(0));
  return allocate(Call::cudaMallocHost_, pointer, bytes);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  Connection::mine().set_caller(__builtin_return_address(0));
  return allocate(Call::cudaHostAlloc_, pointer, bytes, flags);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  Connection::mine().set_caller(__builtin_return_address(0));
  return allocate(Call::cudaMallocManaged_, pointer, bytes, flags);
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::uint64_t first = address / kPage * kPage;
  const std::uint64_t end = whole_pages(address + bytes);
  // What cannot be registered, the simulator says.
  const bool plain = pointer != nullptr && bytes != 0 && end > first && !is_device_memory(pointer);
  if (plain && !is_shared(address, bytes) && !share_pages(first, end - first))
    return cudaErrorMemoryAllocation;
  (void)ask(Call::cudaHostRegister_, pointer, bytes, flags);
  return static_cast<cudaError_t>(Connection::mine().result());
}
cudaError_t cudaHostUnregister(void* pointer) {
  (void)ask(Call::cudaHostUnregister_, pointer);
  return static_cast<cudaError_t>(Connection::mine().result());
}
cudaError_t cudaFree(void* pointer) {
  Connection::mine().set_caller(__builtin_return_address(0));
  return release(Call::cudaFree_, pointer);
}
cudaError_t cudaFreeHost(void* pointer) {
  Connection::mine().set_caller(__builtin_return_address(0));
  return release(Call::cudaFreeHost_, pointer);
}

}  // extern "C"
