// Bulk copies from shared to global memory. Each reads and writes words by the asynchronous proxy, behind
// what the thread did before and beside what it does next, until its group has been waited for.
#include <limits>

#include "simulator/engine/cluster.h"
#include "simulator/litmus/threads/thread_recorder.h"

namespace sim::litmus {
namespace {

using exec::Instr;
using exec::Warp;

constexpr int kNeverDone = std::numeric_limits<int>::max();
constexpr unsigned kWord = 4;  ///< bytes of a bulk copy that are one operation

}  // namespace

void ThreadRecorder::bulk_reads(Warp&, const Instr&, int, const exec::SharedPlace& from, u32 bytes) {
  guarded([&] {
    for (u32 i = 0; i < bytes; i += kWord) {
      std::byte* const host = from.owner->shared.get() + from.offset + i;
      const int r = read({values_.locate(true, from.owner->index, from.offset + i, kWord, host), host});
      trace.events[std::size_t(r)].proxy = Proxy::async;
      trace.events[std::size_t(r)].done = kNeverDone;
      bulk_groups_.back().push_back(r);
    }
  });
}

void ThreadRecorder::bulk_writes(Warp& w, const Instr&, int, u64 address, u32 bytes) {
  if (now_->has("reduce")) refuse("reductions by bulk copies are not explored");
  guarded([&] {
    const memory::Allocation* const buffer = w.worker->space.find(address);
    const std::size_t words = bytes / kWord, first = trace.events.size() - words;
    for (std::size_t i = 0; i < words; ++i) {
      std::byte* const host = buffer->host + (address - buffer->base) + i * kWord;
      const Element at{values_.locate(false, 0, address + i * kWord, kWord, host), host};
      const std::uint64_t value = trace.events[first + i].value;
      give(at, value);
      Event& e = trace.events[std::size_t(write(at, value))];
      e.proxy = Proxy::async;
      e.done = kNeverDone;
      e.depends |= only(int(first + i));
      bulk_groups_.back().push_back(int(trace.events.size()) - 1);
    }
  });
}

void ThreadRecorder::commits_bulk(const Warp&) { bulk_groups_.emplace_back(); }

void ThreadRecorder::waits_for_bulk(Warp&, u32 pending, bool reads) {
  const std::size_t committed = bulk_groups_.size() - 1;
  for (std::size_t group = 0; group + pending < committed; ++group)
    for (const int i : bulk_groups_[group]) {
      Event& e = trace.events[std::size_t(i)];
      if (e.done == kNeverDone && (e.reads() || !reads)) e.done = order_;
    }
}

}  // namespace sim::litmus
