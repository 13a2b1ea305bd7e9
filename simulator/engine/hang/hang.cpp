// Reports of kernels that cannot go on: who waits where, one entry for each source line.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "language/catalogue.h"
#include "simulator/engine/cluster.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/hang/endless_loop.h"
#include "simulator/engine/hang/phase_chain.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/engine/shared_name.h"
#include "simulator/report/wording/words.h"

namespace sim::exec {

namespace {

constexpr std::size_t kMostLines = 6;  ///< of a report; the rest is counted

/// "0-30", "0-7, 12"
std::string ranges(Mask lanes) {
  std::string text;
  for (int i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1) == 0) continue;
    const int first = i;
    while (i + 1 < kLanes && (lanes >> (i + 1) & 1) != 0) ++i;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (i != first) text += fmt::format("-{}", i);
  }
  return text;
}

/// Threads of a block, by warp.
class Threads {
 public:
  explicit Threads(const Block& block) : block_(&block), lanes_(block.warps.size()) {}
  void add(const Warp& w, Mask lanes) { lanes_[w.index] |= lanes; }

  /// "threads 0-30 of warp 2", "warps 0-3 and threads 0-7 of warp 4"
  std::string text() const {
    std::string all;
    for (std::size_t first = 0; first < lanes_.size(); ++first) {
      const Mask lanes = lanes_[first];
      if (lanes == 0) continue;
      std::size_t last = first;
      while (last + 1 < lanes_.size() && lanes_[last + 1] == lanes) ++last;
      const std::string warps = first == last       ? tr("warp {}", first)
                                : last == first + 1 ? tr("warps {} and {}", first, last)
                                                    : tr("warps {}-{}", first, last);
      const bool whole = is_whole(lanes);
      all +=
          (all.empty() ? "" : ", ") +
          (whole ? warps : tr("thread{} {} of {}", lane_count(lanes) == 1 ? "" : "s", ranges(lanes), warps));
      first = last;
    }
    return all;
  }
  bool one() const {
    u64 n = 0;
    for (Mask lanes : lanes_) n += u64(lane_count(lanes));
    return n == 1;
  }
  /// Whether these are all threads of one warp.
  bool is_warp() const {
    const auto some = [](Mask lanes) { return lanes != 0; };
    const auto found = std::find_if(lanes_.begin(), lanes_.end(), some);
    return found != lanes_.end() && is_whole(*found) && std::none_of(found + 1, lanes_.end(), some);
  }

 private:
  bool is_whole(Mask lanes) const { return lanes == kAllLanes || u32(lane_count(lanes)) == block_->threads; }

  const Block* block_;
  std::vector<Mask> lanes_;
};

/// "mbarrier full[2] to end phase 3: 1 of 2 arrivals is missing, it expects 32768 bytes and got 16384"
std::string phase_in_words(const Block& block, u32 offset, const Wrappers& wrappers,
                           const std::string& file) {
  const PhaseBarrier barrier = phase_barrier({const_cast<Block*>(&block), offset});
  const auto known = block.phases.find(offset);
  const PhaseRecord record = known == block.phases.end() ? PhaseRecord{} : known->second;
  const std::string name = mbarrier_name(block, offset);
  std::string text = barrier.missing() == 1
                         ? tr("mbarrier {} to end phase {} (parity {}): 1 of {} arrivals is missing", name,
                              record.phases, int(barrier.phase()), barrier.expected())
                         : tr("mbarrier {} to end phase {} (parity {}): {} of {} arrivals are missing", name,
                              record.phases, int(barrier.phase()), barrier.missing(), barrier.expected());
  if (record.expected != 0 || record.came != 0)
    text += tr(", it expects {} bytes and got {}", record.expected, record.came);
  return text + bytes_in_words(block, offset, wrappers, file);
}

/// Where the threads of a block are, by what they do at which place, in program order.
class Report {
 public:
  /// @param first  where the finding is
  Report(const Block& block, const Finding& first)
      : block_(block), code_(block.worker->code), first_(first), wrappers_(code_) {
    for (const Warp& w : block.warps) {
      if (w.active != 0) add(w, w.frame, w.active, first_of(w.pc), AccessKind::none, "");
      for (const Split& s : w.waiting) {
        if (s.wait == Wait::none || s.at == nullptr) {
          add(w, s.frame, s.mask, first_of(s.pc), AccessKind::none, "");
        } else if (s.wait == Wait::barrier) {
          add(w, s.frame, s.mask, *s.at, AccessKind::barrier,
              s.barrier < kFirstWarpgroup ? tr("barrier {}", s.barrier)
                                          : tr("other warps of their warpgroup"));
        } else if (s.wait == Wait::cluster) {
          add(w, s.frame, s.mask, *s.at, AccessKind::barrier, tr("the cluster's barrier"));
        } else if (s.wait == Wait::phase) {
          each_phase(w, s.mask, [&](Mask lanes, const std::string& phase) {
            add(w, s.frame, lanes, *s.at, AccessKind::barrier, phase);
          });
        } else {
          add(w, s.frame, s.mask, *s.at, AccessKind::wait, tr("other threads of their warp"));
        }
      }
    }
    // Those who have left come last: they are why the others wait.
    order_ = 1;
    for (const Warp& w : block.warps)
      for (const Left& l : w.left)
        add(w, nullptr, l.lanes, code_.instructions[code_.blocks[l.pc].last - 1], AccessKind::exit, "");
  }

  std::string text() const {
    std::string all;
    std::size_t shown = 0;
    for (const auto& [key, entry] : entries_) {
      if (shown++ == kMostLines) {
        return all + tr("; and others at {} more places", entries_.size() - kMostLines);
      }
      all += (all.empty() ? "" : "; ") + in_words(entry);
    }
    return all;
  }

  /// The same group by group, but for those whose line is not known.
  std::vector<StuckThreads> groups() const {
    std::vector<StuckThreads> all;
    for (const auto& [key, entry] : entries_)
      if (entry.at.line > 0 && all.size() < kMostLines)
        all.push_back({entry.threads.text(), entry.does, entry.at.file, entry.at.line, entry.wanted});
    return all;
  }

 private:
  struct Entry {
    AccessKind does;
    SourceLine at;
    std::string place, wanted;
    Threads threads;
  };
  /// Calls @p act(lanes, what for) for the lanes that wait for the same mbarrier.
  template <class Act>
  void each_phase(const Warp& w, Mask lanes, Act act) const {
    while (lanes != 0) {
      const u32 at = w.waits_at[std::size_t(first_lane(lanes))];
      Mask same = 0;
      for_each_lane(lanes,
                    [&](int i) { same |= w.waits_at[std::size_t(i)] == at ? kLaneBit[std::size_t(i)] : 0; });
      act(same, phase_in_words(block_, at, wrappers_, first_.file));
      lanes &= ~same;
    }
  }
  const Instr& first_of(u32 pc) const { return code_.instructions[code_.blocks[pc].first]; }
  /// The line of the user's source; of a call of the library's, the one that calls it.
  SourceLine line_of(const Frame* frame, const Instr& in) const {
    if (Wrappers::wants_wrapper(code_.source_of(in)))
      if (SourceLine outside = wrappers_.line_of(frame, code_.index_of(in)); outside.line > 0) return outside;
    Finding at;
    locate(at, code_, frame, in);
    return {at.file, at.line};
  }
  static std::string in_words(const Entry& entry) {
    const std::string who = entry.threads.text();
    const bool one = entry.threads.one() || entry.threads.is_warp();
    if (entry.does == AccessKind::exit) return tr("{} left at {}", who, entry.place);
    if (entry.does == AccessKind::none)
      return one ? tr("{} runs near {}", who, entry.place) : tr("{} run near {}", who, entry.place);
    return (one ? tr("{} waits at {}", who, entry.place) : tr("{} wait at {}", who, entry.place)) +
           (entry.wanted.empty() ? "" : tr(" for {}", entry.wanted));
  }
  void add(const Warp& w, const Frame* frame, Mask lanes, const Instr& in, AccessKind does,
           const std::string& wanted) {
    const SourceLine at = line_of(frame, in);
    const std::string place = at.line > 0 ? place_beside(first_, at.file, at.line)
                                          : tr("PTX line {}", code_.source_of(in).ptx_line);
    const Doing doing{order_, does, place, wanted};
    const auto known = places_.try_emplace(doing, code_.index_of(in)).first;
    const auto entry = entries_
                           .try_emplace({order_, known->second, does, place, wanted},
                                        Entry{does, at, place, wanted, Threads(block_)})
                           .first;
    entry->second.threads.add(w, lanes);
  }

  using Doing = std::tuple<int, AccessKind, std::string, std::string>;

  const Block& block_;
  const Code& code_;
  const Finding& first_;
  const Wrappers wrappers_;
  int order_ = 0;
  std::map<Doing, u32> places_;  ///< the first instruction met of a line
  std::map<std::tuple<int, u32, AccessKind, std::string, std::string>, Entry> entries_;
};

/// Whether a block is not the only one of its cluster, and all of them wait.
bool whole_cluster_waits(const Block& block) {
  const Cluster& cluster = *block.cluster;
  for (u32 rank = 0; rank < cluster.size(); ++rank)
    for (const Warp& w : cluster.block(rank).warps)
      if (w.runnable()) return false;
  return cluster.size() > 1;
}

/// The same for all blocks of the cluster, where they wait for each other.
std::string report_of(const Block& block, const Finding& first) {
  const Cluster& cluster = *block.cluster;
  if (!whole_cluster_waits(block)) return Report(block, first).text();
  std::string all;
  for (u32 rank = 0; rank < cluster.size(); ++rank) {
    const Block& b = cluster.block(rank);
    all += (all.empty() ? "" : "; ") +
           tr("block ({},{},{}): {}", b.id[0], b.id[1], b.id[2], Report(b, first).text());
  }
  return all;
}

/// The threads of report_of(), group by group.
std::vector<StuckThreads> stuck_in(const Block& block, const Finding& first) {
  const Cluster& cluster = *block.cluster;
  if (!whole_cluster_waits(block)) return Report(block, first).groups();
  std::vector<StuckThreads> all;
  for (u32 rank = 0; rank < cluster.size(); ++rank) {
    const Block& b = cluster.block(rank);
    for (StuckThreads group : Report(b, first).groups()) {
      group.who = tr("block ({},{},{}), {}", b.id[0], b.id[1], b.id[2], group.who);
      all.push_back(std::move(group));
    }
  }
  return all;
}

/// A thread that is elsewhere than those that wait at @p waiting, and where: it waits, or it has left.
std::optional<OtherParty> elsewhere_in(const Block& block, const Split& waiting) {
  const Code& code = block.worker->code;
  const auto party = [&](AccessKind does, const Warp& w, Mask lanes, const Frame* frame, const Instr& at) {
    Finding place;
    locate(place, code, frame, at);
    return OtherParty{does, place.line, block.id, block.thread_of(w, first_lane(lanes)), {}, place.file};
  };
  for (const Warp& w : block.warps) {
    if (!w.left.empty()) {
      const Left& l = w.left.front();
      return party(AccessKind::exit, w, l.lanes, nullptr, code.instructions[code.blocks[l.pc].last - 1]);
    }
  }
  for (const Warp& w : block.warps)
    for (const Split& s : w.waiting)
      if (s.at != nullptr && s.at != waiting.at)
        return party(s.wait != Wait::convergence ? AccessKind::barrier : AccessKind::wait, w, s.mask, s.frame,
                     *s.at);
  return {};
}

/// The same in all blocks of the cluster, the one that waits first.
std::optional<OtherParty> elsewhere(const Block& block, const Split& waiting) {
  std::optional<OtherParty> found = elsewhere_in(block, waiting);
  for (u32 rank = 0; !found && rank < block.cluster->size(); ++rank)
    found = elsewhere_in(block.cluster->block(rank), waiting);
  return found;
}

}  // namespace

void Block::deadlock() {
  Warp* first = nullptr;
  const Split* waiting = nullptr;
  for (Warp& w : warps) {
    for (const Split& s : w.waiting) {
      if (s.at == nullptr) continue;
      // Who waits for lanes of its own warp keeps the others waiting at the barrier. And where lanes wait for
      // each other at two places, few have gone past the one where most are.
      // A phase that nobody ends keeps others waiting in turn.
      const auto rank = [](const Split& of) {
        return of.wait == Wait::phase         ? 2 + kLanes
               : of.wait == Wait::convergence ? 1 + lane_count(of.mask)
                                              : 0;
      };
      if (waiting != nullptr &&
          (rank(*waiting) > rank(s) || (rank(*waiting) == rank(s) && waiting->at <= s.at)))
        continue;
      first = &w;
      waiting = &s;
    }
  }
  const Wait wait = waiting->wait;
  const bool warpgroup = wait == Wait::barrier && waiting->barrier >= kFirstWarpgroup;
  first->frame = waiting->frame;  // where the call came from is part of the place
  Finding place;
  locate(place, *first, *waiting->at);
  const Wrappers wrappers(worker->code);
  // The chain and the report are told from where fail() will place the finding.
  if (wait == Wait::phase)
    locate(place, wrappers.line_of(waiting->frame, worker->code.index_of(*waiting->at)));
  const std::string chain =
      wait == Wait::phase
          ? phase_chain(*this, first->waits_at[std::size_t(first_lane(waiting->mask))], wrappers, place.file)
          : "";
  std::vector<StuckThreads> stuck = stuck_in(*this, place);
  try {
    fail(*first, *waiting->at, first_lane(waiting->mask),
         wait == Wait::phase                      ? FindingKind::hang
         : wait == Wait::convergence || warpgroup ? FindingKind::mask
                                                  : FindingKind::barrier,
         Message("The {} can never go on: {}{}.", whole_cluster_waits(*this) ? tr("cluster") : tr("block"),
                 report_of(*this, place), chain));
  } catch (Fault& fault) {
    fault.finding.other = elsewhere(*this, *waiting);
    fault.finding.stuck = std::move(stuck);
    fault.finding.cure = warpgroup                   ? Cure::none
                         : wait == Wait::phase       ? Cure::arrive_as_expected
                         : wait == Wait::convergence ? Cure::all_lanes_reach_call
                                                     : Cure::all_reach_barrier;
    throw;
  }
}

void Block::runaway() {
  const Code& code = worker->code;
  const auto alive = std::find_if(warps.begin(), warps.end(), [](const Warp& w) { return w.runnable(); });
  Warp& w = alive == warps.end() ? warps.front() : *alive;
  const auto ready =
      std::find_if(w.waiting.begin(), w.waiting.end(), [](const Split& s) { return s.wait == Wait::none; });
  const bool running = w.active != 0 || ready == w.waiting.end();
  if (!running) w.frame = ready->frame;  // where the call came from is part of the place
  Frame* const frame = w.frame;
  const Instr& in = code.instructions[code.blocks[running ? w.pc : ready->pc].first];
  Finding place;
  locate(place, w, in);
  const int lane = first_lane(running ? std::max<Mask>(w.active, 1) : ready->mask);
  const u64 issued = instructions;
  const std::string where = report_of(*this, place);
  const EndlessLoop loop = running ? watch_loop(w, place) : EndlessLoop{};
  FaultDetails details;
  if (loop.below_zero) details.cure = Cure::wider_number;
  w.frame = frame;
  fail(w, in, lane, FindingKind::hang,
       Message("The block has issued {} warp instructions and does not end: {}. {}", issued, where,
               loop.words.empty() ? tr("Does the loop's condition ever change?") : loop.words),
       details);
}

}  // namespace sim::exec
