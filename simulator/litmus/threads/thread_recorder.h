// Watches the one thread that runs, and gives its reads their values.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>

#include "simulator/engine/observer.h"
#include "simulator/litmus/threads/dependencies.h"
#include "simulator/litmus/threads/memory_values.h"
#include "simulator/litmus/threads/record.h"

namespace sim::litmus {

/// One run of one thread, alone in its launch: all others have exited before they begin. Its reads return
/// what the script says, the n-th read the script's n-th choice among the values that its location may hold.
class ThreadRecorder final : public exec::Observer {
 public:
  struct Choice {
    std::size_t chosen = 0, among = 1;
  };
  using Script = std::vector<Choice>;
  enum class End : std::uint8_t { ended, given_up, stopped };

  /// @param script  grows by the reads that it has no choice for: their first
  ThreadRecorder(const exec::Code& code, std::uint64_t block, unsigned thread, MemoryValues& values,
                 std::vector<Statement>& statements, const RecordLimits& limits, Script& script);
  /// Puts memory back as it was.
  ~ThreadRecorder() override;

  Trace trace;
  End end = End::ended;       ///< stopped: see why()
  std::exception_ptr why;     ///< of what was stopped: Unexplorable or TooMuch
  std::uint64_t cluster = 0;  ///< that the thread's block is of

  void block_starts(exec::Block& block) override;
  void block_ends(exec::Block& block) override;
  void access(exec::Warp& w, const exec::ObservedAccess& seen) override;
  void step(exec::Warp& w, const exec::Instr& in) override;
  bool suppresses(const exec::Fault&) override { return false; }
  void warp_barrier(const exec::Warp& w, exec::Mask lanes) override;
  void arrives(const exec::Warp& w, const exec::Instr& in, int barrier, u32 expected, bool waits) override;
  void block_barrier(exec::Block&, int) override {}
  void cluster_arrives(const exec::Warp& w, bool releases) override;
  void cluster_barrier(const exec::Cluster&) override {}
  void cluster_waited(const exec::Warp& w, exec::Mask lanes) override;
  void exits(const exec::Warp&, exec::Mask) override {}
  void fence(const exec::Warp& w, const exec::Instr& in) override;
  void warp_primitive(exec::Warp& w, const exec::Instr& in, exec::Mask, exec::Mask) override;
  void reads_active_mask(const exec::Warp& w) override;
  void phase_barrier(const exec::Warp& w, const exec::Instr& in, const exec::SharedPlace&, int, u64, bool,
                     bool) override;
  void initialises_phase_barrier(const exec::Warp& w, const exec::Instr& in, const exec::SharedPlace&,
                                 int) override;
  void waits_for_copies(const exec::Warp&, u32) override {}
  void copies_arrive(const exec::Warp&, const exec::SharedPlace&, int) override {}
  void commits_copies(const exec::Warp&) override {}
  void bulk_copies(exec::Warp& w, const exec::Instr& in, int, const exec::SharedPlace&, u32,
                   const exec::SharedPlace&) override;
  void bulk_reads(exec::Warp& w, const exec::Instr& in, int lane, const exec::SharedPlace& from,
                  u32 bytes) override;
  void bulk_writes(exec::Warp& w, const exec::Instr& in, int lane, u64 address, u32 bytes) override;
  void moves_box(const exec::Warp&, const exec::Instr&, const exec::SharedPlace&, const memory::TensorMap&,
                 const std::array<std::int32_t, memory::TensorMap::kMostAxes>&) override {}
  void commits_bulk(const exec::Warp& w) override;
  void waits_for_bulk(exec::Warp& w, u32 pending, bool reads) override;
  void proxy_fence(const exec::Warp& w) override;
  void product_reads(exec::Warp& w, const exec::Instr& in, std::span<const u32>) override;
  void product_factors(exec::Warp&, const exec::Instr&, std::span<const exec::ProductFactor>) override {}
  void commits_products(const exec::Warp&) override {}
  void waits_for_products(const exec::Warp&, u32) override {}
  void sets_registers(const exec::Warp&, const exec::Instr&, u32, bool) override {}
  void copies(exec::Warp& w, const exec::Instr& in, int, u32, u32) override;

 private:
  /// An atomic that is under way: what it writes is known when it has.
  struct Update {
    int read = -1;
    std::byte* host = nullptr;
    bool writes = true;
  };
  /// One element of an access.
  struct Element {
    int location;
    std::byte* host;
  };

  [[noreturn]] void stop(End how, std::exception_ptr reason);
  [[noreturn]] void refuse(const std::string& what);
  /// Has @p look do its work; what it throws ends the run and is kept.
  template <class Look>
  void guarded(Look look) {
    try {
      look();
    } catch (const Unexplorable& e) {
      refuse(e.what());
    }
  }
  Event& add(Event::Kind kind);
  Event& add_memory(Event::Kind kind, const Element& at);
  int read(const Element& at);
  int write(const Element& at, std::uint64_t value);
  void add_barrier(std::uint64_t id, bool arrives, bool waits);
  void update(const exec::Warp& w, const Element& at);
  bool swap_fails(const exec::Warp& w, std::uint64_t found, unsigned bytes) const;
  void finish_update();
  void give(const Element& at, std::uint64_t value);
  std::uint32_t statement();

  const exec::Code& code_;
  const std::uint64_t block_;
  const unsigned thread_;
  MemoryValues& values_;
  std::vector<Statement>& statements_;
  const RecordLimits& limits_;
  Script& script_;

  Dependencies dependencies_;
  const ptx::Instruction* now_ = nullptr;  ///< the instruction that runs
  const exec::Instr* decoded_ = nullptr;
  int order_ = 0;
  std::size_t reads_ = 0;
  std::map<const ptx::Instruction*, int> turns_;
  std::map<std::uint64_t, int> barriers_;  ///< how often each was passed
  std::optional<Update> update_;
  std::vector<std::pair<std::byte*, std::vector<std::byte>>> overwritten_;
  std::vector<std::vector<int>> bulk_groups_{1};  ///< events of bulk copies by group; the last one is open
};

}  // namespace sim::litmus
