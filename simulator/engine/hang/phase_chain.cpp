#include "simulator/engine/hang/phase_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "language/catalogue.h"
#include "simulator/engine/cluster.h"
#include "simulator/engine/phase_barrier.h"
#include "simulator/engine/shared_name.h"
#include "simulator/report/wording/words.h"

namespace sim::exec {

namespace {

constexpr int kMostLinks = 8;

/// The call by which a frame was entered.
const Instr* call_of(const Code& code, const Frame* frame) {
  if (frame == nullptr || frame->caller == nullptr) return nullptr;
  return &code.instructions[code.blocks[frame->return_pc - 1].last - 1];
}

class Chain {
 public:
  Chain(const Wrappers& wrappers, const std::string& file) : wrappers_(wrappers), file_(file) {}

  std::string follow(const Block* block, u32 offset) {
    std::set<std::pair<const Block*, u32>> met;
    std::string text;
    for (int i = 0; i < kMostLinks; ++i) {
      const std::string name = mbarrier_name(*block, offset);
      if (!met.emplace(block, offset).second) return text + tr(": a circle");
      const Link link = link_from(*block, offset);
      if (link.text.empty()) return text;
      text += (text.empty() ? " " : "; ") + link.text;
      if (link.next == nullptr) return text;
      block = link.next, offset = link.offset;
    }
    return text;
  }

  std::string place(const Code& code, const PhaseEvent& e) const {
    return in_words(
        wrappers_.line_of_call(code.index_of(*e.at), e.call == nullptr ? -1 : int(code.index_of(*e.call))));
  }

 private:
  struct Link {
    std::string text;
    const Block* next = nullptr;  ///< whose mbarrier the thread waits for; null: none
    u32 offset = 0;
  };

  std::string in_words(const SourceLine& line) const {
    if (line.line == 0) return tr("a line that is not known");
    return line.file == file_
               ? tr("line {}", line.line)
               : fmt::format("{}:{}", line.file.substr(line.file.find_last_of('/') + 1), line.line);
  }

  static std::string thread(const Block& block, const Warp& w, int lane) {
    const Index3 id = block.thread_of(w, lane);
    std::string text = tr("thread ({},{},{})", id[0], id[1], id[2]);
    if (block.cluster->size() > 1) text += tr(" of block ({},{},{})", block.id[0], block.id[1], block.id[2]);
    return text;
  }

  /// What a thread does now: "waits at line 31 for mbarrier empty[0]".
  void find(const Block& block, const Warp& w, int lane, Link& link) const {
    const Mask one = kLaneBit[std::size_t(lane)];
    for (const Split& s : w.waiting) {
      if ((s.mask & one) == 0) continue;
      const bool known = s.at != nullptr && s.wait != Wait::none;
      const u32 at = known ? block.worker->code.index_of(*s.at) : block.worker->code.blocks[s.pc].first;
      const std::string place = in_words(wrappers_.line_of(s.frame, at));
      link.text += known ? tr(" waits at {}", place) : tr(" is near {}", place);
      if (s.wait != Wait::phase) return;
      link.offset = w.waits_at[std::size_t(lane)];
      link.text += tr(" for mbarrier {}", mbarrier_name(block, link.offset));
      link.next = &block;
      return;
    }
    link.text += (w.live & one) == 0 ? tr(" has left") : tr(" runs");
  }

  const Block* block_of(const Block& near, u64 index) const {
    for (u32 rank = 0; rank < near.cluster->size(); ++rank)
      if (near.cluster->block(rank).index == index) return &near.cluster->block(rank);
    return nullptr;
  }

  Link link_from(const Block& block, u32 offset) const {
    if (phase_barrier({const_cast<Block*>(&block), offset}).missing() == 0) return {};
    const std::string name = mbarrier_name(block, offset);
    const auto known = block.phases.find(offset);
    const PhaseRecord record = known == block.phases.end() ? PhaseRecord{} : known->second;
    for (const PhaseEvent& e : record.before) {
      const auto same = [&](const PhaseEvent& other) {
        return other.block == e.block && other.warp == e.warp && other.lane == e.lane;
      };
      if (std::any_of(record.arrivals.begin(), record.arrivals.end(), same)) continue;
      const Block* const its = block_of(block, e.block);
      if (its == nullptr) continue;
      const Warp& w = its->warps[e.warp];
      Link link;
      link.text = tr("{}, which arrived at {} in the phase before at {},", thread(*its, w, e.lane), name,
                     place(block.worker->code, e));
      find(*its, w, e.lane, link);
      return link;
    }
    if (!record.arrivals.empty()) return who_has_arrived(block, record.arrivals, offset, name);
    return record.phases > 0 ? Link{} : who_arrives_next(block, offset, name);
  }

  /// Some have arrived, and too few.
  Link who_has_arrived(const Block& block, const std::vector<PhaseEvent>& arrivals, u32 offset,
                       const std::string& name) const {
    const PhaseEvent& first = arrivals.front();
    const Block* const its = block_of(block, first.block);
    if (its == nullptr) return {};
    const PhaseBarrier barrier = phase_barrier({const_cast<Block*>(&block), offset});
    Link link;
    link.text = barrier.missing() == 1
                    ? tr("at {} 1 of {} arrivals is missing", name, barrier.expected())
                    : tr("at {} {} of {} arrivals are missing", name, barrier.missing(), barrier.expected());
    const std::string who = thread(*its, its->warps[first.warp], first.lane),
                      where = place(block.worker->code, first);
    link.text += arrivals.size() == 1 ? tr(", and only {} has arrived at {}", who, where)
                                      : tr(", and {} has arrived at {}", who, where);
    return link;
  }

  /// Nobody has ever arrived there: a thread that waits for another mbarrier in front of an arrival.
  Link who_arrives_next(const Block& block, u32 offset, const std::string& name) const {
    const Code& code = block.worker->code;
    for (const Warp& w : block.warps)
      for (const Split& s : w.waiting) {
        if (s.wait != Wait::phase || s.at == nullptr) continue;
        const int lane = first_lane(s.mask);
        if (w.waits_at[std::size_t(lane)] == offset) continue;
        const auto next = next_arrival(code, s);
        if (!next) continue;
        Link link;
        link.text = tr("nobody has arrived at {} yet, and {}, whose next arrival is at {},", name,
                       thread(block, w, lane), in_words(*next));
        find(block, w, lane, link);
        return link;
      }
    return {};
  }

  /// The arrival at an mbarrier that comes next in the program behind a wait, in its function or the callers.
  std::optional<SourceLine> next_arrival(const Code& code, const Split& s) const {
    u32 at = code.index_of(*s.at);
    for (const Frame* frame = s.frame; frame != nullptr; frame = frame->caller) {
      const u32 end = wrappers_.end_of_function(at);
      for (u32 i = at + 1; i < end; ++i) {
        if (is_arrival(*code.sources[i])) return wrappers_.line_of(frame, i);
        if (code.sources[i]->opcode == "call" && code.instructions[i].site < code.calls.size()) {
          const int called = code.calls[code.instructions[i].site]->function;
          if (called >= 0 && has_arrival(code, called)) return wrappers_.line_of(frame, i);
        }
      }
      const Instr* const call = call_of(code, frame);
      if (call == nullptr) break;
      at = code.index_of(*call);
    }
    return {};
  }
  static bool is_arrival(const ptx::Instruction& in) {
    return in.opcode == "mbarrier" && (in.has("arrive") || in.has("arrive_drop"));
  }
  bool has_arrival(const Code& code, int function) const {
    const u32 first = code.blocks[code.functions[std::size_t(function)].entry].first;
    for (u32 i = first; i < wrappers_.end_of_function(first); ++i)
      if (is_arrival(*code.sources[i])) return true;
    return false;
  }

  const Wrappers& wrappers_;
  const std::string& file_;
};

}  // namespace

PhaseEvent phase_event(const Warp& w, const Instr& in, int lane) {
  return {w.block->index, w.index, u8(lane), &in, call_of(w.worker->code, w.frame)};
}

std::string mbarrier_name(const Block& block, u32 offset) {
  const std::string name = shared_name(block.worker->code, offset, sizeof(PhaseBarrier));
  return name.empty() ? tr("at offset {} of shared memory", offset) : name;
}

namespace {

/// "16384 bytes", "a box of 64 x 128 elements of 2 bytes"
std::string amount_of(const PhaseBytes& c) {
  if (c.box.empty()) return tr("{} bytes", c.bytes);
  return tr("a box of {} elements of {} byte{}", fmt::join(c.box, " x "), c.element_bytes,
            c.element_bytes == 1 ? "" : "s");
}

}  // namespace

std::string bytes_in_words(const Block& block, u32 offset, const Wrappers& wrappers,
                           const std::string& file) {
  const auto known = block.phases.find(offset);
  if (known == block.phases.end() || known->second.expected == known->second.came) return "";
  const PhaseRecord& record = known->second;
  if (record.copies.empty()) return tr(", for no copy has been made in this phase");
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < record.copies.size() && i < kMost; ++i) {
    const PhaseBytes& c = record.copies[i];
    text += (i == 0 ? ": " : ", ") + tr("the copy at {} asks for {}",
                                        Chain(wrappers, file).place(block.worker->code, c.by), amount_of(c));
  }
  return text;
}

std::string phase_chain(const Block& block, u32 offset, const Wrappers& wrappers, const std::string& file) {
  const std::string chain = Chain(wrappers, file).follow(&block, offset);
  return chain.empty() ? "" : tr(". Who should arrive:") + chain;
}

}  // namespace sim::exec
