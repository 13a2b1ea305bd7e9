#include "simulator/remote/client/parameters.h"

#include <cstring>
#include <map>
#include <mutex>

#include "simulator/remote/client/connection.h"

namespace sim::remote {

const std::vector<Parameter>& parameters_of(const void* function) {
  static std::mutex& lock = *new std::mutex;
  static auto& known = *new std::map<const void*, std::vector<Parameter>>;
  std::lock_guard hold(lock);
  const auto found = known.find(function);
  if (found != known.end()) return found->second;
  std::vector<Parameter>& parameters = known[function];
  Unpacker from = ask(Call::parameters, function);
  while (!from.rest().empty()) parameters.push_back(from.take<Parameter>());
  return parameters;
}

std::vector<std::byte> parameter_values(const void* function, void* const* arguments) {
  const std::vector<Parameter>& parameters = parameters_of(function);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; arguments != nullptr && i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    if (bytes.size() < p.offset + p.bytes) bytes.resize(p.offset + p.bytes);
    std::memcpy(bytes.data() + p.offset, arguments[i], p.bytes);
  }
  return bytes;
}

}  // namespace sim::remote
