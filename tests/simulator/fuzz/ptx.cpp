// libFuzzer: any text gives a module that runs, or an error. Parses it, places its variables, decodes every
// kernel and runs one ragged block of it for a moment.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/engine/launch.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

/// Runs a kernel with parameters that point to a buffer, as far as its list of them goes.
void run(sim::exec::LoadedModule& module, const std::string& name, sim::memory::AddressSpace& space) {
  const auto& kernel = module.kernel(name);
  sim::memory::Allocation* buffer = space.allocate(4096, sim::memory::Kind::device, "fuzz");
  std::array<std::uint64_t, 8> params;
  params.fill(buffer->base);
  sim::exec::Launch launch;
  launch.block = {40, 1, 1};
  launch.dynamic_shared_bytes = 256;
  launch.params = std::as_bytes(std::span(params));
  launch.host_threads = 1;
  launch.instruction_limit = 2000;
  sim::exec::launch(kernel, launch, space);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// A word of a line, such as `%r12`, `u32` or `64`.
std::string_view word_of(std::string_view line, std::mt19937& random) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t from = line.find_first_not_of(" \t\n,;.[]{}()<>@!:+-", at);
    if (from == line.npos) break;
    at = std::min(line.find_first_of(" \t\n,;.[]{}()<>@!:+-", from), line.size());
    words.push_back(line.substr(from, at - from));
  }
  return words.empty() ? std::string_view{} : words[random() % words.size()];
}

}  // namespace

/// PTX is made of lines and words: a mutation that keeps to
/// them reaches the decoder far more often than one of bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::mt19937 random(seed);
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() < 3 || random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string changed;  // of the line replaced
  const auto any = [&] { return random() % lines.size(); };
  for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
    const std::size_t from = any(), to = any();
    switch (random() % 4) {
      case 0:
        lines.erase(lines.begin() + std::ptrdiff_t(from));
        break;
      case 1:
        lines.insert(lines.begin() + std::ptrdiff_t(to), std::string_view(lines[from]));
        break;
      case 2:
        std::swap(lines[from], lines[to]);
        break;
      default:
        const std::string_view old = word_of(lines[to], random), fresh = word_of(lines[from], random);
        if (old.empty() || fresh.empty() || !changed.empty()) break;
        changed.assign(lines[to].begin(), old.begin()).append(fresh).append(old.end(), lines[to].end());
        lines[to] = changed;
    }
    if (lines.empty()) break;
  }
  std::string result;
  for (const std::string_view line : lines) result += line;
  result.resize(std::min(result.size(), max_size));
  std::copy(result.begin(), result.end(), data);
  return result.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    sim::memory::AddressSpace space;
    space.set_capacity(16 << 20);
    sim::exec::LoadedModule module(sim::ptx::parse({reinterpret_cast<const char*>(data), size}), space);
    for (const sim::ptx::Function& function : module.module().functions) {
      if (!function.is_entry || function.is_declaration) continue;
      try {
        run(module, function.name, space);
      } catch (const sim::exec::Fault&) {
      }
    }
  } catch (const sim::ptx::ParseError&) {
  } catch (const sim::exec::Fault&) {
  } catch (const std::bad_alloc&) {  // variables larger than the device
  }
  return 0;
}
