#include "grader/lesson/lesson.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "grader/lesson/element.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/shared_bytes.h"

namespace ladder {
namespace {

std::int64_t product(std::span<const std::int64_t> shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw std::invalid_argument("a buffer has a negative extent");
    if (__builtin_mul_overflow(elements, extent, &elements))
      throw std::invalid_argument("a buffer's size overflows 64 bits");
  }
  return elements;
}

}  // namespace

std::int64_t Case::operator[](std::string_view name) const {
  for (const auto& [key, value] : extents)
    if (key == name) return value;
  throw std::out_of_range("the case has no extent named '" + std::string(name) + "'");
}

std::string Case::label() const {
  std::string text = variant;
  for (const auto& [key, value] : extents) {
    if (!text.empty()) text += ", ";
    text += key + "=" + std::to_string(value);
  }
  return text;
}

std::int64_t Buffer::elements() const { return product(shape); }
std::size_t Buffer::size_bytes() const { return static_cast<std::size_t>(elements()) * size_of(type); }
std::size_t Buffer::offset_bytes() const { return static_cast<std::size_t>(offset) * size_of(type); }

struct Problem::State {
  Case which;
  std::vector<Buffer> buffers;
  std::vector<std::pair<std::string, double>> scalars;

  Buffer& find(std::string_view name) {
    for (Buffer& buffer : buffers)
      if (buffer.name == name) return buffer;
    throw std::out_of_range("the problem has no buffer named '" + std::string(name) + "'");
  }

  Buffer& add(std::string name, std::vector<std::int64_t> shape, Buffer::Role role, Buffer::Location location,
              Type type) {
    if (std::any_of(buffers.begin(), buffers.end(), [&](const Buffer& b) { return b.name == name; }))
      throw std::invalid_argument("two buffers are named '" + name + "'");
    Buffer buffer;
    buffer.name = std::move(name);
    buffer.role = role;
    buffer.location = location;
    buffer.type = type;
    buffer.shape = std::move(shape);
    buffer.offset = offset_of(which, buffer.name);
    const std::size_t bytes = buffer.size_bytes();
    if (role != Buffer::Role::output) {
      buffer.storage = std::make_shared<SharedBytes>(bytes);
      buffer.bytes = buffer.storage->span();
    }
    buffers.push_back(std::move(buffer));
    return buffers.back();
  }
};

Problem::Problem(Case which) : state_(std::make_unique<State>()) { state_->which = std::move(which); }
Problem::~Problem() = default;
Problem::Problem(Problem&&) noexcept = default;

const Case& Problem::which() const { return state_->which; }
std::span<Buffer> Problem::buffers() { return state_->buffers; }
std::span<const Buffer> Problem::buffers() const { return state_->buffers; }

void Problem::scalar(std::string name, double value) { state_->scalars.emplace_back(std::move(name), value); }
const std::vector<std::pair<std::string, double>>& Problem::scalars() const { return state_->scalars; }

std::span<double> Problem::expect(std::string_view name, Tolerance tolerance) {
  Buffer& buffer = state_->find(name);
  if (buffer.role == Buffer::Role::input)
    throw std::invalid_argument("'" + buffer.name + "' is an input: nothing is expected of it");
  buffer.tolerance = tolerance;
  buffer.expected.assign(static_cast<std::size_t>(buffer.elements()), 0.0);
  return buffer.expected;
}

namespace {
template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, float>)
    return Type::f32;
  else if constexpr (std::is_same_v<T, double>)
    return Type::f64;
  else if constexpr (std::is_same_v<T, __half>)
    return Type::f16;
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return Type::bf16;
  else if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? Type::i8 : Type::u8;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? Type::i16 : Type::u16;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? Type::i32 : Type::u32;
  else
    return std::is_signed_v<T> ? Type::i64 : Type::u64;
}

template <class T, class Byte>
auto as(std::span<Byte> bytes) {
  using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  return std::span<Element>(reinterpret_cast<Element*>(bytes.data()), bytes.size() / sizeof(T));
}
}  // namespace

template <class T>
std::span<T> Problem::input(std::string name, std::vector<std::int64_t> shape, Buffer::Location location) {
  return as<T>(
      state_->add(std::move(name), std::move(shape), Buffer::Role::input, location, type_of<T>()).bytes);
}

template <class T>
std::span<T> Problem::inout(std::string name, std::vector<std::int64_t> shape, Buffer::Location location) {
  return as<T>(
      state_->add(std::move(name), std::move(shape), Buffer::Role::inout, location, type_of<T>()).bytes);
}

template <class T>
void Problem::output(std::string name, std::vector<std::int64_t> shape, Buffer::Location location) {
  state_->add(std::move(name), std::move(shape), Buffer::Role::output, location, type_of<T>());
}

template <class T>
std::span<const T> Problem::read(std::string_view name) const {
  const Buffer& buffer = state_->find(name);
  if (buffer.role == Buffer::Role::output)
    throw std::invalid_argument("'" + buffer.name + "' is an output: there is nothing to read");
  if (buffer.type != type_of<T>())
    throw std::invalid_argument("'" + buffer.name + "' holds " + name_of(buffer.type) + ", not what is read");
  return as<T>(std::span<const std::byte>(buffer.bytes));
}

#define LADDER_INSTANTIATE(T)                                                                        \
  template std::span<T> Problem::input<T>(std::string, std::vector<std::int64_t>, Buffer::Location); \
  template std::span<T> Problem::inout<T>(std::string, std::vector<std::int64_t>, Buffer::Location); \
  template void Problem::output<T>(std::string, std::vector<std::int64_t>, Buffer::Location);        \
  template std::span<const T> Problem::read<T>(std::string_view) const;
LADDER_INSTANTIATE(float)
LADDER_INSTANTIATE(double)
LADDER_INSTANTIATE(__half)
LADDER_INSTANTIATE(__nv_bfloat16)
LADDER_INSTANTIATE(std::int8_t)
LADDER_INSTANTIATE(std::uint8_t)
LADDER_INSTANTIATE(std::int16_t)
LADDER_INSTANTIATE(std::uint16_t)
LADDER_INSTANTIATE(std::int32_t)
LADDER_INSTANTIATE(std::uint32_t)
LADDER_INSTANTIATE(std::int64_t)
LADDER_INSTANTIATE(std::uint64_t)
#undef LADDER_INSTANTIATE

}  // namespace ladder
