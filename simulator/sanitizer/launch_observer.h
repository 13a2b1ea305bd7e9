// What the engine sees of the sanitizer: the events of one launch, handed to the detectors in their order.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "simulator/engine/observer.h"
#include "simulator/sanitizer/barrier/barrier_detector.h"
#include "simulator/sanitizer/bounds/bounds_detector.h"
#include "simulator/sanitizer/bounds/store_counts.h"
#include "simulator/sanitizer/descriptors/descriptor_detector.h"
#include "simulator/sanitizer/examine.h"
#include "simulator/sanitizer/launch_context.h"
#include "simulator/sanitizer/race/race_detector.h"
#include "simulator/sanitizer/registers/register_budget.h"
#include "simulator/sanitizer/registers/register_detector.h"
#include "simulator/sanitizer/uninit/uninit_detector.h"

namespace sim::sanitizer {

class LaunchObserver : public exec::Observer {
 public:
  /// @param written  which bytes of global memory have been written; null: all
  LaunchObserver(const KernelAnalysis& analysis, const exec::Launch& launch, memory::AddressSpace& space,
                 Written* written);

  /// The launch ends when this process has computed for so long, however far it came: what is looked at is
  /// not to depend on what else the machine does.
  void stop_after(double seconds);
  bool stopped() const { return stopped_; }

  /// Counts the stores to each element from here on.
  void count_stores() { stores_.emplace(); }

  /// Only what concerns registers of products is a finding: the rest is told of another build of the kernel.
  void keep_registers_only() { registers_only_ = true; }

  /// What was found, folded; to be called once, after the launch.
  std::vector<Finding> take();

  /// What was touched, in runs of bytes.
  std::vector<Touched> touched() const;

  void block_starts(Block& block) override;
  void block_ends(Block& block) override {
    races_.block_ends(block);
    budget_.block_ends(block);
  }
  void access(Warp& w, const ObservedAccess& seen) override;
  void step(Warp& w, const Instr& in) override;
  bool suppresses(const Fault& fault) override;
  void warp_barrier(const Warp& w, Mask lanes) override { races_.warp_barrier(w, lanes); }
  void arrives(const Warp& w, const Instr& in, int barrier, u32 expected, bool waits) override;
  void block_barrier(Block& block, int barrier) override;
  void cluster_arrives(const Warp& w, bool releases) override { races_.cluster_arrives(w, releases); }
  void cluster_barrier(const exec::Cluster& cluster) override { races_.cluster_barrier(cluster); }
  void cluster_waited(const Warp& w, Mask lanes) override { races_.cluster_waited(w, lanes); }
  void exits(const Warp& w, Mask lanes) override { barriers_.exits(w, lanes); }
  void fence(const Warp& w, const Instr& in) override { races_.fence(w, in); }
  void warp_primitive(Warp& w, const Instr& in, Mask lanes, Mask named) override;
  void reads_active_mask(const Warp& w) override { barriers_.reads_active_mask(w); }
  void initialises_phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane) override {
    races_.initialises_phase_barrier(w, in, at, lane);
  }
  void phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane, u64 phase,
                     bool releases, bool acquires) override {
    races_.phase_barrier(w, in, at, lane, phase, releases, acquires);
  }
  void bulk_copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                   const SharedPlace& mbarrier) override;
  void bulk_reads(Warp& w, const Instr& in, int lane, const SharedPlace& from, u32 bytes) override {
    races_.bulk_reads(w, in, lane, from, bytes);
  }
  void bulk_writes(Warp& w, const Instr& in, int lane, u64 address, u32 bytes) override {
    races_.bulk_writes(w, in, lane, address, bytes);
  }
  void moves_box(const Warp&, const Instr& in, const exec::SharedPlace&, const memory::TensorMap& map,
                 const std::array<s32, memory::TensorMap::kMostAxes>& origin) override {
    descriptors_.moves_box(in, map, origin);
  }
  void commits_bulk(const Warp& w) override { races_.commits_bulk(w); }
  void waits_for_bulk(Warp& w, u32 pending, bool reads) override { races_.waits_for_bulk(w, pending, reads); }
  void proxy_fence(const Warp& w) override { races_.proxy_fence(w); }
  void product_reads(Warp& w, const Instr& in, std::span<const u32> pieces) override {
    races_.product_reads(w, in, pieces);
  }
  void product_factors(Warp& w, const Instr& in, std::span<const exec::ProductFactor> factors) override {
    descriptors_.check(w, in, factors);
  }
  void commits_products(const Warp& w) override { races_.commits_products(w); }
  void waits_for_products(const Warp& w, u32 pending) override { races_.waits_for_products(w, pending); }
  void sets_registers(const Warp& w, const Instr& in, u32 count, bool more) override {
    budget_.sets_registers(w, in, count, more);
  }
  void waits_for_copies(const Warp& w, u32 pending) override { races_.waits_for_copies(w, pending); }
  void copies_arrive(const Warp& w, const SharedPlace& at, int lane) override {
    races_.copies_arrive(w, at, lane);
  }
  void commits_copies(const Warp& w) override { races_.commits_copies(w); }
  void copies(Warp& w, const Instr& in, int lane, u32 offset, u32 bytes) override;

 private:
  void stop_when_late();
  /// An access to shared or global memory: races, and reads of shared memory that nobody has written.
  SIM_INLINE void check_order(Warp& w, const ObservedAccess& seen, u32 at);

  LaunchContext context_;
  BoundsDetector bounds_;
  RaceDetector races_;
  UninitDetector uninit_;
  BarrierDetector barriers_;
  RegisterBudget budget_;
  DescriptorDetector descriptors_;
  std::optional<RegisterDetector> registers_;
  std::optional<StoreCounts> stores_;
  u64 suppressed_ = 0;
  double cpu_end_ = std::numeric_limits<double>::infinity();  ///< by the process's own clock
  u32 accesses_ = 0;
  bool stopped_ = false;
  bool registers_only_ = false;
};

}  // namespace sim::sanitizer
