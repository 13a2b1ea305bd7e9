#include "simulator/engine/grid/round_robin.h"

#include <algorithm>
#include <utility>

#include "simulator/decode/constants.h"

namespace sim::exec {

namespace {

constexpr int kQuiet = 4;  ///< rounds in which nothing was written and all polled: they wait
/// The same of rounds in which something was written, such as a counter of the iterations
/// of the polling loop.
constexpr int kBusy = 4096, kBusyObserved = 512;
/// Instructions of a warp in a slice of a kernel that is blocked, which is resumed often.
constexpr s64 kBlockedSlice = 256;

constexpr u64 kInterleaved = 12;  ///< clusters that a seed has run at once: one before has to be looked at
constexpr int kShortest = 4;      ///< log2 of the instructions of a warp in their shortest slices ...
constexpr u64 kLengths = 9;       ///< ... and how many powers of two there are: up to Block::kSlice
/// Rounds in which nothing was written, after which slices are the usual ones: in a short one not every
/// cluster comes to look at what it waits for, and of slices among which nothing is written the order is all
/// one.
constexpr int kIdle = 8;

}  // namespace

bool polls_memory(const ptx::Instruction& in) {
  const bool sees_others = in.has("volatile") || in.has("relaxed") || in.has("acquire") || in.has("mmio");
  return in.opcode == "ld" && sees_others && !in.has("shared") && !in.has("shared::cta") &&
         !in.has("shared::cluster");
}

RoundRobinScheduler::RoundRobinScheduler(Worker& worker, std::function<u64(u64)> nth, u64 clusters,
                                         u64 most_resident)
    : worker_(worker),
      nth_(std::move(nth)),
      clusters_(clusters),
      most_resident_(most_resident),
      random_(worker.launch.schedule_seed) {
  if (!worker.launch.may_wait) return;
  const Code& code = worker.code;
  for (u32 b = 0; b < code.blocks.size(); ++b) {
    const auto first = code.sources.begin() + code.blocks[b].first,
               last = code.sources.begin() + code.blocks[b].last;
    if (std::any_of(first, last, [](const ptx::Instruction* in) {
          return polls_memory(*in) || (in->opcode == "atom" && !in->has("shared"));
        }))
      polling_blocks_.push_back(b);
  }
}

bool RoundRobinScheduler::resume(Time until, u64 weight) {
  int quiet = 0, busy = 0;
  blocked_ = false;
  slice_ = until == Time::max() ? Block::kSlice : kBlockedSlice;
  while (next_ < clusters_ || !resident_.empty()) {
    if (random_ != 0 && resident_.size() < kInterleaved) start_clusters();
    const u64 writes = worker_.writes;
    const std::size_t before = resident_.size();
    all_poll_ = worker_.launch.may_wait;
    const bool ended = round(weight);
    const bool wrote = worker_.writes != writes;
    idle_rounds_ = wrote || ended ? 0 : idle_rounds_ + 1;
    const bool waits = !wrote || ++stalled_ > kPatience;
    if (ended) stalled_ = 0;
    u64 started = 0;
    if (resident_.empty() || (!ended && waits)) {
      started = start_clusters();
      stalled_ = 0;
    }
    const bool stands = all_poll_ && !ended && started == 0 && before != 0;
    quiet = stands && !wrote ? quiet + 1 : 0;
    busy = stands ? busy + 1 : 0;
    const int most = worker_.observer == nullptr ? kBusy : kBusyObserved;
    blocked_ = quiet >= kQuiet || busy >= most;
    was_blocked_ |= blocked_;
    if (blocked_) return false;
    if (until != Time::max() && std::chrono::steady_clock::now() > until) break;
  }
  return next_ >= clusters_ && resident_.empty();
}

/// Runs a slice of every resident cluster. @return whether one has ended
bool RoundRobinScheduler::round(u64 weight) {
  bool ended = false;
  for (std::size_t n = resident_.size(); n > 0; --n) {
    std::unique_ptr<Cluster> cluster = std::move(resident_.front());
    resident_.pop_front();
    const bool done = run(*cluster, weight);
    ended |= done;
    (done ? idle_.push_back(std::move(cluster)) : resident_.push_back(std::move(cluster)));
  }
  return ended;
}

bool RoundRobinScheduler::run(Cluster& cluster, u64 weight) {
  const u64 polled = all_poll_ ? polls() : 0;
  if (cluster.run(next_slice(), weight) == Block::Progress::finished) return true;
  if (all_poll_ && polls() == polled) all_poll_ = false;
  return false;
}

s64 RoundRobinScheduler::next_slice() {
  const bool usual = random_ == 0 || (worker_.launch.may_wait && idle_rounds_ > kIdle);
  return usual ? slice_ : s64{1} << (kShortest + int(next_random(random_) % kLengths));
}

/// Starts clusters. Twice as many each time: a barrier of the whole grid needs all of them. @return how many
u64 RoundRobinScheduler::start_clusters() {
  const u64 few = random_ == 0 ? 1 : kInterleaved;
  const u64 more = worker_.launch.cooperative ? clusters_ : std::max<u64>(few, resident_.size());
  const u64 first = next_;
  for (u64 suspended = 0; suspended < more && next_ < clusters_ && resident_.size() < most_resident_;) {
    if (idle_.empty()) idle_.push_back(std::make_unique<Cluster>(worker_));
    std::unique_ptr<Cluster> cluster = std::move(idle_.back());
    idle_.pop_back();
    cluster->start(nth_(next_++));
    if (cluster->run(random_ == 0 ? Block::kSlice : next_slice()) == Block::Progress::finished) {
      idle_.push_back(std::move(cluster));
    } else {
      resident_.push_back(std::move(cluster));
      ++suspended;
    }
  }
  return next_ - first;
}

/// How often warps ran basic blocks that poll.
u64 RoundRobinScheduler::polls() const {
  u64 all = 0;
  for (const u32 b : polling_blocks_) all += worker_.visits[b].warps;
  return all;
}

}  // namespace sim::exec
