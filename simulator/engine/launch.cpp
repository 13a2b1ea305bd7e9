// Running a grid: blocks over host threads where their order cannot matter, in one fixed order where it can.
#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <optional>

#include "simulator/decode/constants.h"
#include "simulator/decode/program.h"
#include "simulator/engine/access/lines.h"
#include "simulator/engine/block.h"
#include "simulator/engine/pool.h"
#include "simulator/engine/round_robin.h"
#include "simulator/engine/selection.h"
#include "simulator/engine/shuffle.h"

namespace sim::exec {

namespace {

// What the largest modelled GPU holds at one time.
constexpr u64 kMultiprocessorsOfGpu = 132, kThreadsOfEach = 2048, kBlocksOfEach = 32,
              kSharedOfEach = 228 * 1024;
constexpr u64 kSmall = 1 << 14;  ///< warp instructions: a tenth of a millisecond
constexpr u64 kMostAtOnce = 32,
              kTurns = 8;  ///< blocks that a host thread takes at a time; how often at least

/// Adds what one site has cost.
void add(Counters& c, SiteInfo::Kind kind, const Tally (&tally)[3]) {
  const auto into = [&](Landing where, std::uint64_t& requests, std::uint64_t& cost) {
    requests += tally[u32(where)].requests;
    cost += tally[u32(where)].cost;
  };
  if (kind == SiteInfo::Kind::load) {
    into(Landing::global, c.global_load_requests, c.global_load_sectors);
    into(Landing::shared, c.shared_load_requests, c.shared_load_wavefronts);
    into(Landing::local, c.local_load_requests, c.local_load_sectors);
  } else if (kind == SiteInfo::Kind::store) {
    into(Landing::global, c.global_store_requests, c.global_store_sectors);
    into(Landing::shared, c.shared_store_requests, c.shared_store_wavefronts);
    into(Landing::local, c.local_store_requests, c.local_store_sectors);
  } else {
    into(Landing::global, c.global_atomic_requests, c.global_atomic_sectors);
    into(Landing::shared, c.shared_atomic_requests, c.shared_atomic_wavefronts);
  }
}

/// Whether it may update global or shared memory: as the hardware counts, it passes the pipes of both.
bool is_generic(const ptx::Instruction& in) {
  return !in.has("global") && !in.has("shared") && !in.has("shared::cta") && !in.has("shared::cluster");
}

class Grid {
 public:
  Grid(const LoadedModule::Program& program, const Launch& launch, memory::AddressSpace& space)
      : code_(*program.code),
        pace_(program.pace),
        launch_(launch),
        space_(space),
        all_blocks_(u64(launch.grid[0]) * launch.grid[1] * launch.grid[2]),
        blocks_(sampled(code_, launch, all_blocks_)),
        nth_(blocks_, room(), launch.schedule_seed) {}

  /// Runs until the end, or as RoundRobinScheduler::go_on says. @return whether it has ended
  bool go_on(RoundRobinScheduler::Time until = RoundRobinScheduler::Time::max(), bool counts = true) {
    if (workers_.empty()) hire();
    bool ended = true;
    if (turns_) {
      guarded(0, [&] { ended = turns_->go_on(until, counts); });
    } else {
      Pool::instance().run(int(workers_.size()),
                           [&](int i) { guarded(0, [&] { side_by_side(*workers_[std::size_t(i)]); }); });
    }
    return ended || fault_;
  }

  bool waits() const { return turns_ && turns_->waits(); }

  /// What the launch that has ended cost. @throws Fault when it failed
  LaunchResult outcome() const {
    if (fault_) throw *fault_;
    return result();
  }

 private:
  void hire() {
    const int wanted = launch_.host_threads > 0 ? launch_.host_threads : Pool::instance().size();
    // A seed stands for one order of blocks, also in a program that races: host threads would add their own.
    const bool alone =
        code_.ordered || launch_.schedule_seed != 0 || launch_.observer != nullptr || is_small();
    const int threads = alone ? 1 : int(std::min<u64>(u64(wanted), blocks_));
    for (int i = 0; i < threads; ++i) {
      workers_.push_back(std::make_unique<Worker>(code_, launch_, space_));
      workers_.back()->concurrent = threads > 1;
    }
    if (!code_.ordered) return;
    turns_.emplace(
        *workers_.front(), [this](u64 n) { return nth(n); }, blocks_, room());
  }

  /// Of blocks that wait for each other the first ones are taken, and more of them: the first few wait for
  /// fewer.
  static u64 sampled(const Code& code, const Launch& launch, u64 all) {
    if (!selection().chosen.empty()) return selection().chosen.size();
    const u64 wanted = launch.sampled_blocks * (code.ordered ? 4 : 1);
    return launch.sampled_blocks == 0 || launch.cooperative ? all : std::min(all, wanted);
  }
  /// Whether waking up other host threads would take longer than what they could do, going by the last
  /// launch.
  bool is_small() const { return pace_ != 0 && pace_ * blocks_ < kSmall; }

  /// Of the order's n-th block its number in the grid. A sample is spread over the grid, unless blocks wait
  /// for those before them.
  u64 nth(u64 n) const {
    const u64 in_order = nth_(n);
    if (!selection_.chosen.empty()) return selection_.chosen[in_order];
    if (blocks_ == all_blocks_ || code_.ordered) return in_order;
    return in_order * (all_blocks_ - 1) / std::max<u64>(1, blocks_ - 1);
  }

  /// Does some of the work of block @p n of the order, and notes how it fails.
  template <class Work>
  void guarded(u64 n, Work work) {
    try {
      work();
    } catch (const Fault& f) {
      note(n, f);
    } catch (const std::exception& e) {  // the host is out of memory, say: not the end of its process
      Finding f;
      f.kind = FindingKind::launch;
      f.kernel = code_.kernel->name;
      f.message = std::string("The simulator could not run the kernel: ") + e.what();
      note(n, Fault(f));
    }
  }

  u64 warps_of_a_block() const {
    return (u64(launch_.block[0]) * launch_.block[1] * launch_.block[2] + kLanes - 1) / kLanes;
  }

  /// Blocks at hand that a GPU would hold at once.
  u64 room() const {
    if (launch_.cooperative) return blocks_;
    const u64 threads = u64(launch_.block[0]) * launch_.block[1] * launch_.block[2];
    const u64 shared = u64(code_.static_shared_bytes) + launch_.dynamic_shared_bytes;
    const u64 fit = std::min({kBlocksOfEach, kThreadsOfEach / std::max<u64>(threads, 1),
                              kSharedOfEach / std::max<u64>(shared, 1)});
    const u64 all = kMultiprocessorsOfGpu * std::max<u64>(fit, 1);
    return selection_.most_resident == 0 ? all : std::min(all, selection_.most_resident);
  }

  static constexpr u64 kNone = ~u64{0};
  struct Aside {
    u64 n;  ///< of the order
    std::unique_ptr<Block> block;
  };

  /// Blocks [first, end) of the order.
  struct Run {
    u64 first, end;
  };
  /// Neighbours for one host thread: less often at the counter, and their results' cache lines are not wanted
  /// by another thread too. Towards the end one by one, so that all threads end together.
  Run take() {
    u64 first = next_, end;
    do {
      const u64 share = (blocks_ - std::min(first, blocks_)) / (workers_.size() * kTurns);
      end = std::min(first + std::clamp<u64>(share, 1, kMostAtOnce), blocks_);
    } while (first < blocks_ && !next_.compare_exchange_weak(first, end));
    return {first, std::max(first, end)};
  }

  /// Takes one block after another and runs each to its end. One that writes nothing for long may wait for a
  /// block that has not begun (in ways that the decoder could not see): it is put aside meanwhile.
  void side_by_side(Worker& worker) {
    std::deque<Aside> aside;
    std::unique_ptr<Block> block;
    const u64 most = room();
    for (Run run = take(); run.first < run.end && run.first < first_fault_; run = take()) {
      for (u64 n = run.first; n < run.end && n < first_fault_; ++n) {
        guarded(n, [&] {
          if (!block) block = std::make_unique<Block>(worker);
          block->start(nth(n));
          int idle = 0;
          for (;;) {
            const u64 writes = worker.writes;
            if (block->run() == Block::Progress::finished) return;
            idle = worker.writes == writes ? idle + 1 : 0;
            const bool others = n + 1 < run.end || next_ < blocks_;
            if (idle > kPatience && aside.size() + 1 < most && others) break;
          }
          aside.push_back({n, std::move(block)});
        });
      }
    }
    // After a fault those that wait for it would wait for ever.
    for (u64 rounds = 0; !aside.empty();) {
      if (first_fault_ != kNone && ++rounds > kPatience * aside.size()) return;
      Aside one = std::move(aside.front());
      aside.pop_front();
      guarded(one.n, [&] {
        if (one.n >= first_fault_ || one.block->run() == Block::Progress::finished) return;
        aside.push_back(std::move(one));
      });
    }
  }

  /// Of several faults the one of the first block counts, whichever host thread was faster.
  void note(u64 n, const Fault& fault) {
    std::lock_guard hold(lock_);
    if (n >= first_fault_) return;
    first_fault_ = n;
    fault_ = fault;
  }

  /// How many lanes of a warp look at what other blocks store, on average; 0 when none do.
  double looking_lanes() const {
    Visits all;
    for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
      for (u32 i = code_.blocks[b].first; i < code_.blocks[b].last; ++i) {
        if (!looks_at_others(*code_.sources[i])) continue;
        for (const auto& w : workers_) {
          all.warps += w->visits[b].warps;
          all.lanes += w->visits[b].lanes;
        }
      }
    }
    return all.warps == 0 ? 0 : double(all.lanes) / double(all.warps);
  }

  /// Bytes of the buffers that loads have met, or else stores and atomics.
  double footprint(bool loads) const {
    std::map<u64, u64> buffers;
    for (const auto& w : workers_) {
      for (std::size_t s = 0; s < code_.sites.size(); ++s) {
        const Site& site = w->sites[s];
        const bool met = site.tally[u32(Landing::global)].requests != 0;
        if (met && (code_.sites[s].kind == SiteInfo::Kind::load) == loads) buffers[site.base] = site.size;
      }
    }
    double sum = 0;
    for (const auto& [base, size] : buffers) sum += double(size);
    return sum;
  }

  LaunchResult result() const {
    LaunchResult r;
    std::vector<u64> heat;
    u64 atomic_lanes = 0, longest = 0, slowest = 0, clocks = 0;
    for (const auto& w : workers_) {
      r.counters += w->counters;
      longest = std::max(longest, w->longest_warp);
      slowest += w->slowest_warps;
      clocks += w->clocks;
      atomic_lanes += w->atomic_lanes;
      heat.resize(w->atomic_heat.size());
      for (std::size_t i = 0; i < heat.size(); ++i) heat[i] += w->atomic_heat[i];
      for (std::size_t s = 0; s < w->sites.size(); ++s) {
        const SiteInfo& info = code_.sites[s];
        const auto& tally = w->sites[s].tally;
        add(r.counters, info.kind, tally);
        if (info.kind == SiteInfo::Kind::atomic && is_generic(*code_.sources[info.instruction]))
          r.counters.shared_atomic_wavefronts += tally[u32(Landing::global)].requests;
      }
      for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
        const u64 length = code_.blocks[b].last - code_.blocks[b].first;
        r.counters.inst_executed += w->visits[b].warps * length;
        r.counters.thread_inst_executed += w->visits[b].lanes * length;
        r.cost.add(code_.blocks[b].cost, w->visits[b].warps);
      }
    }
    const double warp =
        double(clocks) / double(std::max<u64>(1, blocks_ * warps_of_a_block()));  // on average
    r.slowest_warp = double(slowest) / double(std::max<u64>(1, blocks_)) / std::max(1.0, warp);
    // Which of the blocks that wait for each other draws most work from a counter is the host's doing.
    r.longest_warp = code_.ordered ? r.slowest_warp : double(longest) / std::max(1.0, warp);
    pace_ = std::max<u64>(1, r.counters.inst_executed / std::max<u64>(1, blocks_));
    const double turns_a_lane =
        double(r.counters.global_atomic_sectors) / double(std::max<u64>(1, atomic_lanes));
    r.same_address_atomics = u64(double(*std::max_element(heat.begin(), heat.end())) * turns_a_lane);
    r.lines = lines_of(code_, workers_);
    r.partial_line_load_sectors = partial_line_sectors(r.lines, AccessKind::read);
    r.partial_line_store_sectors = partial_line_sectors(r.lines, AccessKind::write);
    if (blocks_ < all_blocks_) {
      const double factor = double(all_blocks_) / double(blocks_);
      r.counters.scale(factor);
      r.cost.scale(factor);
      for (u64* n : {&r.same_address_atomics, &r.partial_line_load_sectors, &r.partial_line_store_sectors})
        *n = u64(double(*n) * factor);
    }
    if (code_.ordered && !launch_.cooperative) r.chain_lanes = looking_lanes();
    r.trace = trace_of(code_, workers_);
    r.read_footprint = footprint(true);
    r.written_footprint = footprint(false);
    return r;
  }

  const Code& code_;
  std::atomic<u64>& pace_;
  const Launch& launch_;
  memory::AddressSpace& space_;
  const Selection selection_ = selection();  ///< as it was when the launch began
  const u64 all_blocks_, blocks_;            ///< of the grid; to run
  const Shuffle nth_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<RoundRobinScheduler> turns_;
  std::atomic<u64> next_{0}, first_fault_{kNone};
  std::mutex lock_;
  std::optional<Fault> fault_;
};

}  // namespace

LaunchResult launch(const LoadedModule::Program& kernel, const Launch& what, memory::AddressSpace& space) {
  Grid grid(kernel, what, space);
  if (grid.go_on()) return grid.outcome();
  Finding f;
  f.kind = FindingKind::waits;
  f.kernel = kernel.code->kernel->name;
  f.message = "The kernel waits for memory that only somebody outside can write.";
  throw Fault(std::move(f));
}

struct Running::State {
  State(const LoadedModule::Program& kernel, const Launch& of, memory::AddressSpace& space)
      : what(of), grid(kernel, what, space) {}
  const Launch what;
  Grid grid;
};

Running::Running(const LoadedModule::Program& kernel, const Launch& what, memory::AddressSpace& space)
    : state_(std::make_unique<State>(kernel, what, space)) {}
Running::~Running() = default;
bool Running::go_on(std::chrono::steady_clock::time_point until, bool counts) {
  return state_->grid.go_on(until, counts);
}
bool Running::waits() const { return state_->grid.waits(); }
LaunchResult Running::outcome() const { return state_->grid.outcome(); }

}  // namespace sim::exec
