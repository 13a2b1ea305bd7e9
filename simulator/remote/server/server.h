// The simulator's side of the board: performs the calls of a program in another process, which
// it does not trust.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "simulator/remote/board.h"
#include "simulator/remote/server/module_file.h"

namespace sim::remote {

/// Lets calls through, or keeps them waiting.
class Gate {
 public:
  void enter();
  void leave();
  void open();
  /// Returns when the last call that was let through has ended.
  void close();

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool open_ = false;
  int inside_ = 0;
};

/// Everything that calls of several threads share.
class Server {
 public:
  /// Maps the board and has memory given out at the addresses that both sides agreed on. To be made before
  /// anything asks the runtime for its device. @throws std::system_error
  Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The module whose registrations are to come. @throws std::runtime_error when its file cannot be read
  void set_module(const std::string& path);
  Gate& gate() { return gate_; }

  // Of the slots' threads.
  const ModuleFile* module_file() const { return file_.get(); }
  const std::string& module_path() const { return module_path_; }
  /// Notes a key of the program's for something of a module. @return false when it is taken already
  bool is_new_key(std::uint64_t key);
  /// What managed variables' host pointers would hold.
  struct ManagedPointer {
    std::uint64_t module, key, bytes;
    std::unique_ptr<void*> value;
  };
  std::vector<ManagedPointer>& managed() { return managed_; }
  std::vector<void*>& modules() { return modules_; }
  std::mutex& lock() { return lock_; }  ///< of what is above

 private:
  Board* board_;
  Gate gate_;
  std::mutex lock_;
  std::unique_ptr<ModuleFile> file_;
  std::string module_path_;
  std::set<std::uint64_t> keys_;
  std::vector<ManagedPointer> managed_;
  std::vector<void*> modules_;
};

/// Serves a slot for as long as the process lives.
void serve(Server& server, Slot& slot);

}  // namespace sim::remote
