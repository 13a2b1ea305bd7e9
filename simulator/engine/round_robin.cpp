#include "simulator/engine/round_robin.h"

#include <algorithm>
#include <utility>

namespace sim::exec {

namespace {

constexpr int kQuiet = 4;  ///< rounds in which nothing was written and all looked: they wait
/// The same of rounds in which something was written, such as a counter of the turns of the waiting loop.
constexpr int kBusy = 4096, kBusyObserved = 512;
constexpr s64 kGlance = 256;  ///< instructions of a warp in a turn of a kernel that waits: it soon answers

}  // namespace

bool looks_at_others(const ptx::Instruction& in) {
  const bool watches = in.has("volatile") || in.has("relaxed") || in.has("acquire") || in.has("mmio");
  return in.opcode == "ld" && watches && !in.has("shared") && !in.has("shared::cta");
}

RoundRobinScheduler::RoundRobinScheduler(Worker& worker, std::function<u64(u64)> nth, u64 blocks, u64 room)
    : worker_(worker), nth_(std::move(nth)), blocks_(blocks), room_(room) {
  if (!worker.launch.may_wait) return;
  const Code& code = worker.code;
  for (u32 b = 0; b < code.blocks.size(); ++b) {
    const auto first = code.sources.begin() + code.blocks[b].first,
               last = code.sources.begin() + code.blocks[b].last;
    if (std::any_of(first, last, [](const ptx::Instruction* in) {
          return looks_at_others(*in) || (in->opcode == "atom" && !in->has("shared"));
        }))
      watching_.push_back(b);
  }
}

bool RoundRobinScheduler::go_on(Time until, bool counts) {
  int quiet = 0, busy = 0;
  waits_ = false;
  slice_ = until == Time::max() ? Block::kSlice : kGlance;
  while (next_ < blocks_ || !resident_.empty()) {
    const u64 writes = worker_.writes;
    const std::size_t before = resident_.size();
    watched_ = worker_.launch.may_wait;
    const bool ended = round(counts);
    const bool wrote = worker_.writes != writes;
    const bool waits = !wrote || ++stalled_ > kPatience;
    if (ended) stalled_ = 0;
    u64 started = 0;
    if (resident_.empty() || (!ended && waits)) {
      started = let_in();
      stalled_ = 0;
    }
    const bool stands = watched_ && !ended && started == 0 && before != 0;
    quiet = stands && !wrote ? quiet + 1 : 0;
    busy = stands ? busy + 1 : 0;
    const int most = worker_.observer == nullptr ? kBusy : kBusyObserved;
    waits_ = quiet >= kQuiet || busy >= most;
    if (waits_) return false;
    if (until != Time::max() && std::chrono::steady_clock::now() > until) break;
  }
  return next_ >= blocks_ && resident_.empty();
}

/// Every block at hand has its turn. @return whether one has ended
bool RoundRobinScheduler::round(bool counts) {
  bool ended = false;
  for (std::size_t n = resident_.size(); n > 0; --n) {
    std::unique_ptr<Block> block = std::move(resident_.front());
    resident_.pop_front();
    const bool done = run(*block, counts);
    ended |= done;
    (done ? idle_.push_back(std::move(block)) : resident_.push_back(std::move(block)));
  }
  return ended;
}

bool RoundRobinScheduler::run(Block& block, bool counts) {
  const u64 looked = watched_ ? looks() : 0, issued = block.instructions;
  if (block.run(slice_) == Block::Progress::finished) return true;
  if (watched_ && looks() == looked) watched_ = false;
  if (!counts) block.instructions = issued;
  return false;
}

/// Starts blocks. Twice as many each time: a barrier of the whole grid needs all of them. @return how many
u64 RoundRobinScheduler::let_in() {
  const u64 more = worker_.launch.cooperative ? blocks_ : std::max<u64>(1, resident_.size());
  const u64 first = next_;
  for (u64 put_aside = 0; put_aside < more && next_ < blocks_ && resident_.size() < room_;) {
    if (idle_.empty()) idle_.push_back(std::make_unique<Block>(worker_));
    std::unique_ptr<Block> block = std::move(idle_.back());
    idle_.pop_back();
    block->start(nth_(next_++));
    if (block->run() == Block::Progress::finished) {
      idle_.push_back(std::move(block));
    } else {
      resident_.push_back(std::move(block));
      ++put_aside;
    }
  }
  return next_ - first;
}

/// How often warps came by the places that look.
u64 RoundRobinScheduler::looks() const {
  u64 all = 0;
  for (const u32 b : watching_) all += worker_.visits[b].warps;
  return all;
}

}  // namespace sim::exec
