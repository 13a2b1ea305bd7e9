// Records the steps of one cluster's warps while they run.
#pragma once

#include <map>
#include <memory>

#include "simulator/decode/wrappers.h"
#include "simulator/engine/observer.h"
#include "simulator/engine/timeline/recording.h"

namespace sim::exec {

class TimelineRecorder final : public Observer {
 public:
  /// From here on @p cluster, which has been started, is recorded. Until its blocks have ended, this is its
  /// worker's observer.
  /// @param example  the block to look at
  TimelineRecorder(const Cluster& cluster, const Block& example);

  const ClusterRecording& recording() const { return recording_; }

  void block_starts(Block&) override {}
  void block_ends(Block& block) override;
  void access(Warp&, const ObservedAccess&) override {}
  void step(Warp& w, const Instr& in) override;
  bool suppresses(const Fault&) override { return false; }
  void warp_barrier(const Warp&, Mask) override {}
  void arrives(const Warp& w, const Instr& in, int barrier, u32 expected, bool waits) override;
  void block_barrier(Block& block, int barrier) override;
  void cluster_arrives(const Warp& w, bool releases) override;
  void cluster_barrier(const Cluster& cluster) override;
  void cluster_waited(const Warp& w, Mask lanes) override;
  void exits(const Warp& w, Mask lanes) override;
  void fence(const Warp&, const Instr&) override {}
  void warp_primitive(Warp&, const Instr&, Mask, Mask) override {}
  void reads_active_mask(const Warp&) override {}
  void phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane, u64 phase,
                     bool releases, bool acquires) override;
  void initialises_phase_barrier(const Warp& w, const Instr& in, const SharedPlace& at, int lane) override;
  void waits_for_copies(const Warp& w, u32 pending) override;
  void copies_arrive(const Warp& w, const SharedPlace& at, int lane) override;
  void commits_copies(const Warp& w) override;
  void bulk_copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                   const SharedPlace& mbarrier) override;
  void bulk_reads(Warp& w, const Instr& in, int lane, const SharedPlace& from, u32 bytes) override;
  void bulk_writes(Warp&, const Instr&, int, u64, u32) override {}
  void moves_box(const Warp& w, const Instr& in, const SharedPlace& at, const memory::TensorMap& map,
                 const std::array<s32, memory::TensorMap::kMostAxes>& origin) override;
  void commits_bulk(const Warp& w) override;
  void waits_for_bulk(Warp& w, u32 pending, bool reads) override;
  void proxy_fence(const Warp&) override {}
  void product_reads(Warp& w, const Instr& in, std::span<const u32> pieces) override;
  void product_factors(Warp&, const Instr&, std::span<const ProductFactor>) override {}
  void commits_products(const Warp& w) override;
  void waits_for_products(const Warp& w, u32 pending) override;
  void sets_registers(const Warp&, const Instr&, u32, bool) override {}
  void copies(Warp& w, const Instr& in, int lane, u32 offset, u32 bytes) override;

 private:
  /// What a warp has done since its last step.
  struct Pending {
    Step work;                  ///< its work alone, but for ...
    Step entered;               ///< ... that of the basic block that runs
    bool polls = false;         ///< it looks at an mbarrier again and again: no work
    bool behind = false;        ///< its next arrival waits for its cp.async
    const Instr* at = nullptr;  ///< the instruction that runs
  };
  bool records(const Warp& w) const { return w.block->cluster == cluster_ && !recording_.cut; }
  std::size_t index_of(const Warp& w) const;
  /// The warp's steps get one more, with the work since the last.
  /// @param before_block  the basic block that runs is work behind the step, not before it
  Step& add(const Warp& w, Step::Kind kind, AsyncUnit unit = {}, bool before_block = false);
  /// The warp's last step where it is of that kind and of the instruction that runs, so that other lanes' are
  /// part of it; else a new one.
  Step& same_or_new(const Warp& w, Step::Kind kind, std::uint32_t barrier, u64 phase);
  std::uint32_t line_of(const Warp& w);
  std::uint32_t barrier_at(const SharedPlace& at);
  std::uint32_t barrier_of(const Block* block, RecordedBarrier::Kind kind, std::uint32_t number);

  const Cluster* cluster_;
  const Code& code_;
  const Wrappers wrappers_;
  ClusterRecording recording_;
  std::vector<Pending> pending_;  ///< by warp
  std::size_t steps_ = 0;
  std::map<std::tuple<u32, RecordedBarrier::Kind, u32>, std::uint32_t>
      barriers_;                                                ///< by rank, kind and place
  std::map<std::uint32_t, u64> turns_;                          ///< of barriers that are no mbarriers
  std::map<std::pair<std::string, int>, std::uint32_t> lines_;  ///< indices into recording_.lines
  u64 bulk_lines_ = 0;  ///< Worker::bulk.load_lines before the instruction that runs
  u32 running_ = 0;     ///< blocks that have not ended
};

}  // namespace sim::exec
