#include "simulator/engine/access/outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "language/catalogue.h"
#include "simulator/engine/shared_name.h"
#include "simulator/memory/placed_arrays.h"

namespace sim::exec {
namespace {

/// Whether an instruction compares integers by size, as guards and ends of loops do.
bool compares_sizes(const ptx::Instruction& in) {
  if (in.opcode != "setp" || in.qualifiers.size() < 2) return false;
  static constexpr std::string_view kOrders[] = {"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
  const std::string& type = in.qualifiers.back();
  return std::find(std::begin(kOrders), std::end(kOrders), in.qualifiers.front()) != std::end(kOrders) &&
         (type.front() == 's' || type.front() == 'u');
}

std::string in_bytes(u64 count) { return tr("{} byte{}", count, count == 1 ? "" : "s"); }

/// "Thread (1,0,0) reads 16 bytes from in[5] on, 4 bytes past a multiple of 16: in starts at one, and in[5]
/// is 20 bytes on."
/// @param base  address of the array's buffer; the rest as for outside_in_words()
std::string misaligned_in_words(const ArrayShape& array, const Index3& thread, const char* verb, u32 bytes,
                                u64 base, s64 offset) {
  const std::string element = sim::element_name(array, offset);
  const u64 start = (base + array.start) % bytes;
  const s64 distance = offset - s64(array.start);
  return tr("Thread ({},{},{}) {} {} bytes from {} on, {} past a multiple of {}: {}.", thread[0], thread[1],
            thread[2], verb, bytes, element, in_bytes((base + u64(offset)) % bytes), bytes,
            start == 0 ? tr("{} starts at one, and {} is {} on", array.name, element, in_bytes(u64(distance)))
                       : tr("{} itself starts {} past one", array.name, in_bytes(start)));
}

}  // namespace

bool is_guarded(const Code& code, const Instr& in) {
  const u32 at = code.index_of(in);
  u32 first = 0;  // functions lie one behind the other
  for (const FunctionCode& f : code.functions)
    if (const u32 begin = code.blocks[f.entry].first; begin <= at) first = std::max(first, begin);
  for (u32 i = first; i < at; ++i)
    if (compares_sizes(*code.sources[i])) return true;
  return false;
}

Cure cure_of_outside(const Code& code, const Instr& in, const std::string& element,
                     const std::string& extent) {
  const bool guarded = is_guarded(code, in);
  if (element.empty()) return guarded ? Cure::correct_index : Cure::check_index;
  return {guarded ? Cure::correct_index_of : Cure::check_index_of, {element, extent}};
}

std::string outside_in_words(const ArrayShape& array, const Index3& thread, const char* verb, u32 bytes,
                             s64 offset) {
  const std::string element = sim::element_name(array, offset);
  return tr("Thread ({},{},{}) {} {}; {}.", thread[0], thread[1], thread[2], verb,
            bytes > array.element_bytes ? tr("{} bytes from {} on", bytes, element) : element,
            sim::extent_in_words(array));
}

void describe_misaligned(Finding& f, const memory::AddressSpace& space, const Code& code, u64 address) {
  f.cure = usual_cure(f);
  const memory::Allocation* const buffer = f.space == MemorySpace::global ? space.find(address) : nullptr;
  const memory::PlacedArray* const array = buffer == nullptr ? nullptr : memory::array_near(address);
  if (array != nullptr && array->base == buffer->base) {
    const s64 offset = s64(address - array->base);
    f.symbol = sim::element_name(array->shape, offset);
    f.message = misaligned_in_words(array->shape, f.thread, verb_of(f.access), f.size, array->base, offset);
    return;
  }
  const SharedVariable* const shared =
      f.space == MemorySpace::shared ? find_shared(code, u32(address)) : nullptr;
  if (shared != nullptr && shared->type != nullptr)  // else nobody knows what elements it has
    f.symbol = element_name(*shared, s64(u32(address)) - s64(shared->offset), f.size);
  f.message =
      Message("The thread {} {} bytes{} at address {}, which is not a multiple of {}{}.", verb_of(f.access),
              f.size, f.symbol.empty() ? "" : " from " + f.symbol + " on", fmt::format("{:#x}", address),
              f.size, buffer != nullptr ? Message(": {}", space.describe(address).words) : Message());
}

}  // namespace sim::exec
