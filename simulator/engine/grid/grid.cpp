#include "simulator/engine/grid/grid.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <set>

#include "language/catalogue.h"
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

/// Clusters of the chosen blocks, each once.
std::vector<u64> clusters_of(std::span<const u64> chosen, const Launch& launch) {
  if (blocks_of_cluster(launch) == 1) return {chosen.begin(), chosen.end()};
  const auto& [gx, gy, gz] = launch.grid;
  const auto& [cx, cy, cz] = launch.cluster;
  std::set<u64> all;
  for (const u64 n : chosen)
    all.insert(n % gx / cx + gx / cx * (n / gx % gy / cy + gy / cy * (n / gx / gy / cz)));
  return {all.begin(), all.end()};
}

/// Clusters to run. Of blocks that wait for each other the first ones are taken, and more of them: the first
/// few wait for fewer.
u64 clusters_to_run(const Code& code, const Launch& launch, u64 chosen, u64 all) {
  if (chosen != 0) return chosen;
  const u64 blocks = blocks_of_cluster(launch);
  const u64 wanted = (launch.sampled_blocks * (code.ordered ? 4 : 1) + blocks - 1) / blocks;
  return launch.sampled_blocks == 0 || launch.cooperative ? all : std::min(all, wanted);
}

}  // namespace

Grid::Grid(const LoadedModule::Program& program, const Launch& launch, memory::AddressSpace& space)
    : code_(*program.code),
      instructions_per_block_(program.instructions_per_block),
      launch_(launch),
      space_(space),
      chosen_(clusters_of(selection_.chosen, launch)),
      all_clusters_(u64(launch.grid[0]) * launch.grid[1] * launch.grid[2] / blocks_of_cluster(launch)),
      clusters_(clusters_to_run(code_, launch, chosen_.size(), all_clusters_)),
      order_(clusters_, resident_clusters(), launch.schedule_seed),
      first_fault_(kNoBlock) {}

bool Grid::resume(RoundRobinScheduler::Time until, u64 weight) {
  if (workers_.empty()) start_workers();
  bool ended = true;
  if (round_robin_) {
    catching(0, [&] { ended = round_robin_->resume(until, weight); });
  } else {
    Pool::instance().run(int(workers_.size()),
                         [&](int i) { catching(0, [&] { run_side_by_side(*workers_[std::size_t(i)]); }); });
  }
  return ended || fault_;
}

LaunchResult Grid::outcome() const {
  if (fault_) throw *fault_;
  const u64 blocks = clusters_ * blocks_of_cluster(launch_);
  LaunchResult result =
      launch_cost(code_, launch_, space_, workers_, blocks, round_robin_ && round_robin_->was_blocked());
  instructions_per_block_ = std::max<u64>(1, result.counters.inst_executed / std::max<u64>(1, blocks));
  if (clusters_ < all_clusters_) scale(result, double(all_clusters_) / double(clusters_));
  return result;
}

void Grid::start_workers() {
  const int wanted = launch_.host_threads > 0 ? launch_.host_threads : Pool::instance().size();
  // A seed stands for one order of blocks, also in a program that races: host threads would add their own.
  const bool alone = code_.ordered || launch_.schedule_seed != 0 || launch_.observer != nullptr || is_small();
  const int threads = alone ? 1 : int(std::min<u64>(u64(wanted), clusters_));
  for (int i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(code_, launch_, space_));
    workers_.back()->concurrent = threads > 1;
  }
  if (!code_.ordered) return;
  round_robin_.emplace(
      *workers_.front(), [this](u64 n) { return nth(n); }, clusters_, resident_clusters());
}

/// Whether waking up other host threads would take longer than what they could do, going by the last launch.
bool Grid::is_small() const {
  return instructions_per_block_ != 0 &&
         instructions_per_block_ * clusters_ * blocks_of_cluster(launch_) < kSmall;
}

/// Clusters that a GPU would hold at once.
u64 Grid::resident_clusters() const {
  if (launch_.cooperative) return clusters_;
  const u64 threads = u64(launch_.block[0]) * launch_.block[1] * launch_.block[2];
  const u64 shared = u64(code_.static_shared_bytes) + launch_.dynamic_shared_bytes;
  const u64 fit = std::min(
      {kBlocksPerSm, kThreadsPerSm / std::max<u64>(threads, 1), kSharedPerSm / std::max<u64>(shared, 1)});
  const u64 all = kMultiprocessors * std::max<u64>(fit, 1);
  const u64 most = selection_.most_resident == 0 ? all : std::min(all, selection_.most_resident);
  return std::max<u64>(1, most / blocks_of_cluster(launch_));
}

/// Of the order's n-th cluster its number in the grid. A sample is spread over the grid, unless blocks wait
/// for those before them.
u64 Grid::nth(u64 n) const {
  const u64 in_order = order_(n);
  if (!chosen_.empty()) return chosen_[in_order];
  if (clusters_ == all_clusters_ || code_.ordered) return in_order;
  return in_order * (all_clusters_ - 1) / std::max<u64>(1, clusters_ - 1);
}

/// Does some of the work of cluster @p n of the order, and notes how it fails.
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
    f.claim = tr("The simulator could not run the kernel");
    f.message = Message("{}: {}", f.claim, std::string(e.what()));
    note(n, Fault(f));
  }
}

/// Of several faults the one of the first cluster counts, whichever host thread was faster.
void Grid::note(u64 n, const Fault& fault) {
  std::lock_guard hold(lock_);
  if (n >= first_fault_) return;
  first_fault_ = n;
  fault_ = fault;
}

/// Neighbours for one host thread: less often at the counter, and their results' cache lines are not wanted
/// by another thread too. Towards the end one by one, so that all threads end together.
Grid::ClusterRange Grid::take_range() {
  u64 first = next_, end;
  do {
    const u64 share = (clusters_ - std::min(first, clusters_)) / (workers_.size() * kRangesPerThread);
    end = std::min(first + std::clamp<u64>(share, 1, kMostInRange), clusters_);
  } while (first < clusters_ && !next_.compare_exchange_weak(first, end));
  return {first, std::max(first, end)};
}

/// Takes one cluster after another and runs each to its end. One that writes nothing for long may wait for a
/// block that has not begun (in ways that the decoder could not see): it is suspended meanwhile.
void Grid::run_side_by_side(Worker& worker) {
  std::deque<SuspendedCluster> suspended;
  std::unique_ptr<Cluster> cluster;
  const u64 most = resident_clusters();
  for (ClusterRange range = take_range(); range.first < range.end && range.first < first_fault_;
       range = take_range()) {
    for (u64 n = range.first; n < range.end && n < first_fault_; ++n) {
      catching(n, [&] {
        if (!cluster) cluster = std::make_unique<Cluster>(worker);
        cluster->start(nth(n));
        for (int idle = 0;;) {
          const u64 writes = worker.writes;
          if (cluster->run() == Block::Progress::finished) return;
          idle = worker.writes == writes ? idle + 1 : 0;
          const bool others = n + 1 < range.end || next_ < clusters_;
          if (idle > kPatience && suspended.size() + 1 < most && others) break;
        }
        suspended.push_back({n, std::move(cluster)});
      });
    }
  }
  run_suspended(suspended);
}

/// Runs slices of the clusters in turn. After a fault, blocks that wait for the failed one never end: they
/// get kPatience slices each.
void Grid::run_suspended(std::deque<SuspendedCluster>& suspended) {
  for (u64 rounds = 0; !suspended.empty();) {
    if (first_fault_ != kNoBlock && ++rounds > kPatience * suspended.size()) return;
    SuspendedCluster one = std::move(suspended.front());
    suspended.pop_front();
    catching(one.n, [&] {
      if (one.n >= first_fault_ || one.cluster->run() == Block::Progress::finished) return;
      suspended.push_back(std::move(one));
    });
  }
}

}  // namespace sim::exec
