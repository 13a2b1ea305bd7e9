#include "simulator/engine/grid/grid.h"

#include <algorithm>
#include <deque>
#include <exception>

#include "simulator/engine/grid/launch_cost.h"
#include "simulator/engine/grid/pool.h"

namespace sim::exec {
namespace {

// What the largest modelled GPU holds at one time.
constexpr u64 kMultiprocessors = 132, kThreadsPerSm = 2048, kBlocksPerSm = 32, kSharedPerSm = 228 * 1024;
constexpr u64 kSmall = 1 << 14;      ///< warp instructions: a tenth of a millisecond
constexpr u64 kMostInRange = 32;     ///< blocks that a host thread takes at a time
constexpr u64 kRangesPerThread = 8;  ///< at least
constexpr u64 kNoBlock = ~u64{0};

/// Blocks to run. Of blocks that wait for each other the first ones are taken, and more of them: the first
/// few wait for fewer.
u64 blocks_to_run(const Code& code, const Launch& launch, u64 all) {
  if (!block_selection().chosen.empty()) return block_selection().chosen.size();
  const u64 wanted = launch.sampled_blocks * (code.ordered ? 4 : 1);
  return launch.sampled_blocks == 0 || launch.cooperative ? all : std::min(all, wanted);
}

}  // namespace

Grid::Grid(const LoadedModule::Program& program, const Launch& launch, memory::AddressSpace& space)
    : code_(*program.code),
      instructions_per_block_(program.instructions_per_block),
      launch_(launch),
      space_(space),
      all_blocks_(u64(launch.grid[0]) * launch.grid[1] * launch.grid[2]),
      blocks_(blocks_to_run(code_, launch, all_blocks_)),
      order_(blocks_, resident_blocks(), launch.schedule_seed),
      first_fault_(kNoBlock) {}

bool Grid::resume(RoundRobinScheduler::Time until, bool counts) {
  if (workers_.empty()) start_workers();
  bool ended = true;
  if (round_robin_) {
    catching(0, [&] { ended = round_robin_->resume(until, counts); });
  } else {
    Pool::instance().run(int(workers_.size()),
                         [&](int i) { catching(0, [&] { run_side_by_side(*workers_[std::size_t(i)]); }); });
  }
  return ended || fault_;
}

LaunchResult Grid::outcome() const {
  if (fault_) throw *fault_;
  LaunchResult result = launch_cost(code_, launch_, workers_, blocks_);
  instructions_per_block_ = std::max<u64>(1, result.counters.inst_executed / std::max<u64>(1, blocks_));
  if (blocks_ < all_blocks_) scale(result, double(all_blocks_) / double(blocks_));
  return result;
}

void Grid::start_workers() {
  const int wanted = launch_.host_threads > 0 ? launch_.host_threads : Pool::instance().size();
  // A seed stands for one order of blocks, also in a program that races: host threads would add their own.
  const bool alone = code_.ordered || launch_.schedule_seed != 0 || launch_.observer != nullptr || is_small();
  const int threads = alone ? 1 : int(std::min<u64>(u64(wanted), blocks_));
  for (int i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(code_, launch_, space_));
    workers_.back()->concurrent = threads > 1;
  }
  if (!code_.ordered) return;
  round_robin_.emplace(
      *workers_.front(), [this](u64 n) { return nth(n); }, blocks_, resident_blocks());
}

/// Whether waking up other host threads would take longer than what they could do, going by the last launch.
bool Grid::is_small() const {
  return instructions_per_block_ != 0 && instructions_per_block_ * blocks_ < kSmall;
}

/// Blocks that a GPU would hold at once.
u64 Grid::resident_blocks() const {
  if (launch_.cooperative) return blocks_;
  const u64 threads = u64(launch_.block[0]) * launch_.block[1] * launch_.block[2];
  const u64 shared = u64(code_.static_shared_bytes) + launch_.dynamic_shared_bytes;
  const u64 fit = std::min(
      {kBlocksPerSm, kThreadsPerSm / std::max<u64>(threads, 1), kSharedPerSm / std::max<u64>(shared, 1)});
  const u64 all = kMultiprocessors * std::max<u64>(fit, 1);
  return selection_.most_resident == 0 ? all : std::min(all, selection_.most_resident);
}

/// Of the order's n-th block its number in the grid. A sample is spread over the grid, unless blocks wait for
/// those before them.
u64 Grid::nth(u64 n) const {
  const u64 in_order = order_(n);
  if (!selection_.chosen.empty()) return selection_.chosen[in_order];
  if (blocks_ == all_blocks_ || code_.ordered) return in_order;
  return in_order * (all_blocks_ - 1) / std::max<u64>(1, blocks_ - 1);
}

/// Does some of the work of block @p n of the order, and notes how it fails.
template <class Work>
void Grid::catching(u64 n, Work work) {
  try {
    work();
  } catch (const Fault& f) {
    note(n, f);
  } catch (const std::exception& e) {  // the host is out of memory, say: not the end of its process
    Finding f;
    f.kind = FindingKind::launch;
    f.kernel = code_.kernel->name;
    f.claim = "The simulator could not run the kernel";
    f.message = Message("{}: {}", f.claim, std::string(e.what()));
    note(n, Fault(f));
  }
}

/// Of several faults the one of the first block counts, whichever host thread was faster.
void Grid::note(u64 n, const Fault& fault) {
  std::lock_guard hold(lock_);
  if (n >= first_fault_) return;
  first_fault_ = n;
  fault_ = fault;
}

/// Neighbours for one host thread: less often at the counter, and their results' cache lines are not wanted
/// by another thread too. Towards the end one by one, so that all threads end together.
Grid::BlockRange Grid::take_range() {
  u64 first = next_, end;
  do {
    const u64 share = (blocks_ - std::min(first, blocks_)) / (workers_.size() * kRangesPerThread);
    end = std::min(first + std::clamp<u64>(share, 1, kMostInRange), blocks_);
  } while (first < blocks_ && !next_.compare_exchange_weak(first, end));
  return {first, std::max(first, end)};
}

/// Takes one block after another and runs each to its end. One that writes nothing for long may wait for a
/// block that has not begun (in ways that the decoder could not see): it is suspended meanwhile.
void Grid::run_side_by_side(Worker& worker) {
  std::deque<SuspendedBlock> suspended;
  std::unique_ptr<Block> block;
  const u64 most = resident_blocks();
  for (BlockRange range = take_range(); range.first < range.end && range.first < first_fault_;
       range = take_range()) {
    for (u64 n = range.first; n < range.end && n < first_fault_; ++n) {
      catching(n, [&] {
        if (!block) block = std::make_unique<Block>(worker);
        block->start(nth(n));
        for (int idle = 0;;) {
          const u64 writes = worker.writes;
          if (block->run() == Block::Progress::finished) return;
          idle = worker.writes == writes ? idle + 1 : 0;
          const bool others = n + 1 < range.end || next_ < blocks_;
          if (idle > kPatience && suspended.size() + 1 < most && others) break;
        }
        suspended.push_back({n, std::move(block)});
      });
    }
  }
  run_suspended(suspended);
}

/// Runs slices of the blocks in turn. After a fault, blocks that wait for the failed one never end: they get
/// kPatience slices each.
void Grid::run_suspended(std::deque<SuspendedBlock>& suspended) {
  for (u64 rounds = 0; !suspended.empty();) {
    if (first_fault_ != kNoBlock && ++rounds > kPatience * suspended.size()) return;
    SuspendedBlock one = std::move(suspended.front());
    suspended.pop_front();
    catching(one.n, [&] {
      if (one.n >= first_fault_ || one.block->run() == Block::Progress::finished) return;
      suspended.push_back(std::move(one));
    });
  }
}

}  // namespace sim::exec
