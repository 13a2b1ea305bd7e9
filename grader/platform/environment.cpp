#include "grader/platform/environment.h"

#include <cstdlib>

namespace ladder::cli {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string first_in_environment(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = environment(name); !value.empty()) return value;
  return {};
}

}  // namespace ladder::cli
