// The CUDA runtime of a program whose device is in another process: each function packs
// its arguments and asks.
#include "simulator/remote/client/connection.h"
#include "simulator/remote/codec.h"

namespace sim::remote {
namespace {

template <Call Which, class Function>
struct Stub;

template <Call Which, class R, class... A>
struct Stub<Which, R(A...)> {
  static R call(A... arguments) {
    Connection& line = Connection::mine();
    line.set_caller(__builtin_return_address(0));
    Packer to(line.arguments());
    (pack(to, arguments), ...);
    [[maybe_unused]] Unpacker from = line.call(Which, to.used());
    const auto result = static_cast<R>(line.result());
    (unpack_back(from, arguments), ...);
    return result;
  }
};

}  // namespace
}  // namespace sim::remote

// A function's type says how its arguments travel, so its name is all there is to write; the loader binds the
// name to the instance.
// CUDA 12's headers give some of them another symbol, such as cudaGetDeviceProperties_v2.
#define SIM_SYMBOL(name) #name
#define SIM_FUNCTION(name)                                                         \
  extern "C" [[gnu::used]] decltype(::name)* resolve_##name() {                    \
    return &sim::remote::Stub<sim::remote::Call::name##_, decltype(::name)>::call; \
  }                                                                                \
  extern "C" decltype(::name) bound_##name __asm__(SIM_SYMBOL(name))               \
      __attribute__((ifunc("resolve"                                               \
                           "_" #name)));
SIM_REMOTE_PLAIN(SIM_FUNCTION)
SIM_REMOTE_COPIES(SIM_FUNCTION)
