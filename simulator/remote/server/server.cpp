#include "simulator/remote/server/server.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "simulator/cudart/memory/copy.h"
#include "simulator/cudart/stream/guards.h"
#include "simulator/memory/placement.h"

namespace sim::remote {

void Gate::enter() {
  std::unique_lock hold(lock_);
  changed_.wait(hold, [&] { return open_; });
  ++inside_;
}

void Gate::leave() {
  std::lock_guard hold(lock_);
  --inside_;
  changed_.notify_all();
}

void Gate::open() {
  std::lock_guard hold(lock_);
  open_ = true;
  changed_.notify_all();
}

void Gate::close() {
  std::unique_lock hold(lock_);
  open_ = false;
  changed_.wait(hold, [&] { return inside_ == 0; });
}

Server::Server() {
  memory::place_memory({kDeviceMemory, kHostMemory, kHostRange / 2, kHostMemoryFd});
  cudart::guard_elsewhere();
  cudart::pageable_memory_is_lent();
  void* mapped = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, kBoardFd, 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping the board");
  board_ = static_cast<Board*>(mapped);
  for (Slot& slot : board_->slots) std::thread(serve, std::ref(*this), std::ref(slot)).detach();
}

void Server::set_module(const std::string& path) {
  file_ = std::make_unique<ModuleFile>(path);
  module_path_ = path;
}

bool Server::is_new_key(std::uint64_t key) { return keys_.insert(key).second; }

}  // namespace sim::remote
