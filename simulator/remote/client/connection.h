// A thread's line to the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simulator/remote/board.h"
#include "simulator/remote/calls.h"
#include "simulator/remote/codec.h"

namespace sim::remote {

/// Maps what the process was given to talk to the simulator.
/// @param lifeline  see await(): the judge's socket. Judge and simulator may both be killed while a
///                  call is under way.
/// @throws std::system_error
void connect(int lifeline);

/// The calling thread's slot. It is taken at the first call and given back when the thread ends.
class Connection {
 public:
  static Connection& mine();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Where a call's arguments are packed.
  std::span<std::byte> arguments() const;
  /// The next call of the API stands in the program at this return address.
  void set_caller(const void* return_address);
  /// Sends the call whose arguments lie there, and what pageable memory it reads; waits for its end, calling
  /// back where the simulator says so; fetches what it wrote.
  /// @return what the call has put out
  Unpacker call(Call which, std::size_t argument_bytes);
  std::uint64_t result() const { return slot_->result; }

 private:
  Connection();
  void plain_call(Call which, std::size_t argument_bytes);
  void report_guard_hits(std::size_t argument_bytes);
  void fetch_guards();
  void exchange(Kind kind, std::uint32_t call, std::uint64_t result, std::size_t bytes);
  Slot* slot_;
  std::uint64_t caller_ = 0;
};

/// The shared object that a module's registration lies in is the rung's: places are told of calls in it.
void note_module(const void* registration);

/// The packed answer of a call with these plain values as arguments.
template <class... A>
Unpacker ask(Call which, const A&... arguments) {
  Connection& line = Connection::mine();
  Packer to(line.arguments());
  (to.put(&arguments, sizeof(arguments)), ...);
  return line.call(which, to.used());
}

}  // namespace sim::remote
