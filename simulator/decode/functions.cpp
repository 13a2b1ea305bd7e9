// Numbers of functions, by which pointers to them are made.
#include <map>
#include <mutex>

#include "simulator/decode/program.h"

namespace sim::exec {

u64 function_number(std::string_view name) {
  static std::mutex lock;
  static std::map<std::string, u64, std::less<>> numbers;
  const std::lock_guard hold(lock);
  const auto known = numbers.find(name);
  return known != numbers.end() ? known->second : numbers.emplace(name, numbers.size()).first->second;
}

u64 function_address(const ptx::Module& module, std::string_view name) {
  return module.find(name) == nullptr ? 0 : kFunctionBase + 16 * function_number(name);
}

}  // namespace sim::exec
