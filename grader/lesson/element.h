// The element types of a contract's arrays: their sizes, names and values in double.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "grader/lesson/lesson.h"

namespace ladder {

/// Calls @p visit with a value-initialised object of the C++ type of @p type.
/// @return what @p visit returns
template <class Visitor>
decltype(auto) visit_type(Type type, Visitor&& visit) {
  switch (type) {
    case Type::f32:
      return visit(float{});
    case Type::f64:
      return visit(double{});
    case Type::f16:
      return visit(__half{});
    case Type::bf16:
      return visit(__nv_bfloat16{});
    case Type::i8:
      return visit(std::int8_t{});
    case Type::u8:
      return visit(std::uint8_t{});
    case Type::i16:
      return visit(std::int16_t{});
    case Type::u16:
      return visit(std::uint16_t{});
    case Type::i32:
      return visit(std::int32_t{});
    case Type::u32:
      return visit(std::uint32_t{});
    case Type::i64:
      return visit(std::int64_t{});
    case Type::u64:
      return visit(std::uint64_t{});
  }
  throw std::invalid_argument("no such element type");
}

/// The value of one element; 64-bit integers beyond 2^53 lose their low bits.
template <class T>
double to_double(T value) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<double>(__half2float(value));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<double>(__bfloat162float(value));
  } else {
    return static_cast<double>(value);
  }
}

/// @return bytes of one element
std::size_t size_of(Type type);
/// @return the name a student would write: "float", "int", "__half"
const char* name_of(Type type);
bool is_floating(Type type);
/// Reads element @p index of an array of @p type.
double element_at(Type type, const std::byte* array, std::int64_t index);

}  // namespace ladder
