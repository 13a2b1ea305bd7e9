// How arguments travel: packed one behind another. Values, handles and addresses go as they are; behind a
// pointer to a value that CUDA's headers define, the value goes along, and comes back unless it is const.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

struct CUlib_st;  // CUDA 12.4 does not name it

namespace sim::remote {

/// The other side sent a message that no valid call has. Everything from the program's side is checked.
struct BadCall : std::runtime_error {
  BadCall() : std::runtime_error("a call that cannot be read") {}
};

class Packer {
 public:
  explicit Packer(std::span<std::byte> room) : room_(room) {}
  void put(const void* bytes, std::size_t n) {
    if (n > room_.size() - used_) throw BadCall();
    if (n > 0) std::memcpy(room_.data() + used_, bytes, n);  // nothing may lie at a null pointer
    used_ += n;
  }
  std::size_t used() const { return used_; }

 private:
  std::span<std::byte> room_;
  std::size_t used_ = 0;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  void take(void* into, std::size_t n) {
    const auto bytes = take(n);
    if (n > 0) std::memcpy(into, bytes.data(), n);
  }
  std::span<const std::byte> take(std::size_t n) {
    if (n > bytes_.size()) throw BadCall();
    const auto taken = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return taken;
  }
  template <class T>
  T take() {
    T value;
    take(&value, sizeof(value));
    return value;
  }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Types that CUDA's headers only name: what points to one is a handle and goes as it is. The simulator
/// defines some of them, so that it cannot be asked whether they are complete.
template <class T>
constexpr bool kIsHandle = [] {
  const auto any = []<class... H>(std::type_identity<H>...) { return (std::is_same_v<T, H> || ...); };
  return any(std::type_identity<CUstream_st>(), std::type_identity<CUevent_st>(),
             std::type_identity<CUgraph_st>(), std::type_identity<CUgraphExec_st>(),
             std::type_identity<CUgraphNode_st>(), std::type_identity<CUmemPoolHandle_st>(),
             std::type_identity<CUfunc_st>(), std::type_identity<CUkern_st>(), std::type_identity<CUlib_st>(),
             std::type_identity<CUuserObject_st>(), std::type_identity<cudaArray>(),
             std::type_identity<cudaMipmappedArray>());
}();

/// Whether what an argument points to travels with it.
template <class A>
constexpr bool kCopiesPointee = [] {
  if constexpr (std::is_pointer_v<A>) {
    using T = std::remove_cv_t<std::remove_pointer_t<A>>;
    static_assert(!std::is_same_v<T, char>, "texts have no size");
    if constexpr (std::is_void_v<T> || std::is_function_v<T> || kIsHandle<T>) {
      return false;
    } else {
      static_assert(sizeof(T) > 0, "a handle that is not in the list");
      return true;
    }
  } else {
    return false;
  }
}();

template <class A>
constexpr bool kReturnsPointee = [] {
  if constexpr (kCopiesPointee<A>)
    return !std::is_const_v<std::remove_pointer_t<A>>;
  else
    return false;
}();

/// One argument on the simulator's side: where what it points to lies meanwhile.
template <class A>
struct PackedArgument {
  A value{};
  void read(Unpacker& from) { from.take(&value, sizeof(value)); }
  void write_back(Packer&) const {}
  A argument() { return value; }
};

template <class A>
requires kCopiesPointee<A>
struct PackedArgument<A> {
  using T = std::remove_cv_t<std::remove_pointer_t<A>>;
  bool there = false;
  T value;
  void read(Unpacker& from) {
    there = from.take<std::uint64_t>() != 0;
    if (there) from.take(&value, sizeof(value));
  }
  void write_back(Packer& to) const {
    if (kReturnsPointee<A> && there) to.put(&value, sizeof(value));
  }
  A argument() { return there ? &value : nullptr; }
};

/// The program's side of one argument.
template <class A>
void pack(Packer& to, const A& argument) {
  if constexpr (kCopiesPointee<A>) {
    const std::uint64_t there = argument != nullptr;
    to.put(&there, sizeof(there));
    if (there) to.put(argument, sizeof(*argument));
  } else {
    to.put(&argument, sizeof(argument));
  }
}

template <class A>
void unpack_back(Unpacker& from, const A& argument) {
  if constexpr (kReturnsPointee<A>)
    if (argument != nullptr) from.take(argument, sizeof(*argument));
}

/// Calls a function with packed arguments, on the simulator's side.
template <class R, class... A>
std::uint64_t call_packed(R (*function)(A...), Unpacker from, Packer& back) {
  std::tuple<PackedArgument<A>...> held;
  std::apply([&](auto&... one) { (one.read(from), ...); }, held);
  const R result = std::apply([&](auto&... one) { return function(one.argument()...); }, held);
  std::apply([&](const auto&... one) { (one.write_back(back), ...); }, held);
  return static_cast<std::uint64_t>(result);
}

}  // namespace sim::remote
