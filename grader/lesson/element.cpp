#include "grader/lesson/element.h"

#include <cstring>

namespace ladder {

std::size_t size_of(Type type) {
  return visit_type(type, [](auto zero) { return sizeof(zero); });
}

const char* name_of(Type type) {
  switch (type) {
    case Type::f32:
      return "float";
    case Type::f64:
      return "double";
    case Type::f16:
      return "__half";
    case Type::bf16:
      return "__nv_bfloat16";
    case Type::i8:
      return "signed char";
    case Type::u8:
      return "unsigned char";
    case Type::i16:
      return "short";
    case Type::u16:
      return "unsigned short";
    case Type::i32:
      return "int";
    case Type::u32:
      return "unsigned int";
    case Type::i64:
      return "long long";
    case Type::u64:
      return "unsigned long long";
  }
  return "?";
}

bool is_floating(Type type) {
  return type == Type::f32 || type == Type::f64 || type == Type::f16 || type == Type::bf16;
}

double element_at(Type type, const std::byte* array, std::int64_t index) {
  return visit_type(type, [&](auto value) {
    std::memcpy(&value, array + static_cast<std::size_t>(index) * sizeof(value), sizeof(value));
    return to_double(value);
  });
}

}  // namespace ladder
