#include "simulator/lens/finding/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "language/catalogue.h"
#include "simulator/report/wording/words.h"

namespace sim::lens {
namespace {

constexpr std::int64_t kShown = 5;  // elements beside an edge

/// Of two threads of one block the block goes without saying.
std::string thread_in_words(const Index3& block, const Index3& thread, bool one_block) {
  const std::string own = tr("thread ({},{},{})", thread[0], thread[1], thread[2]);
  return one_block ? own : tr("block ({},{},{})", block[0], block[1], block[2]) + ", " + own;
}

std::string doing(int line, AccessKind access) { return tr("line {} {}", line, verb_of(access)); }

Party party_of(const Finding& finding, bool one_block) {
  return {thread_in_words(finding.block, finding.thread, one_block), doing(finding.line, finding.access), {}};
}

Party party_of(const OtherParty& other, bool one_block) {
  return {thread_in_words(other.block, other.thread, one_block), doing(other.line, other.access), {}};
}

std::string code_of(const Sources& sources, const std::string& file, int line) {
  LineRecord at;
  at.file = file;
  at.line = line;
  return source_line(sources, at);
}

/// The barrier of a block that would order two accesses, and where it would stand.
std::string missing_barrier(const Finding& finding) {
  switch (finding.cure.kind) {
    case Cure::block_barrier:
    case Cure::phase_or_block_barrier:
    case Cure::block_or_warp_barrier:
    case Cure::barrier_or_warp_barrier:
      break;
    default:
      return {};
  }
  const int first = finding.other->line, second = finding.line;
  // A loop may lead from the later line to the other.
  return finding.file == finding.other->file && first < second
             ? tr("no __syncthreads() between lines {} and {}", first, second)
             : tr("no __syncthreads() between the two");
}

bool both_have_lines(const Finding& finding) {
  return finding.other && finding.other->line > 0 && finding.line > 0;
}

/// The numbers of "[3][17]"; nothing where there is something else.
std::vector<std::int64_t> indices(std::string_view text) {
  std::vector<std::int64_t> all;
  for (std::size_t open; (open = text.find('[')) != text.npos;) {
    const std::size_t close = text.find(']', open);
    std::int64_t value = 0;
    if (close == text.npos) return {};
    const auto [end, error] = std::from_chars(text.data() + open + 1, text.data() + close, value);
    if (error != std::errc() || end != text.data() + close) return {};
    all.push_back(value);
    text.remove_prefix(close + 1);
  }
  return all;
}

Edge edge(const Finding& finding, const std::string& name, std::int64_t index, std::int64_t extent) {
  const std::int64_t shown = std::min(kShown, extent);
  const bool before = index < 0;
  Edge made;
  made.name = name;
  made.what = tr("line {} {} {}; {}", finding.line, verb_of(finding.access), index,
                 extent == 0 ? std::string(tr("there is none")) : tr("the last one is {}", extent - 1));
  made.index = index;
  made.first = before ? 0 : extent - shown;
  made.last = made.first + shown - 1;
  made.cut_before = made.first > 0;
  made.cut_behind = made.last + 1 < extent;
  return made;
}

/// "v.d_b", or "cudaMalloc #2" where no variable is known to hold its address.
const std::string& name_of(const AllocationName& buffer) {
  return buffer.variable.empty() ? buffer.origin : buffer.variable;
}

std::optional<Edge> edge_of(const Finding& finding) {
  const bool of_index =
      finding.cure.kind == Cure::check_index_of || finding.cure.kind == Cure::correct_index_of;
  if (of_index && !finding.symbol.empty() && finding.cure.operands.size() == 2) {
    static constexpr const char* kDirections[] = {", first index", ", second index", ", third index"};
    const std::vector<std::int64_t> at = indices(finding.symbol), extents = indices(finding.cure.operands[1]);
    if (at.size() != extents.size()) return std::nullopt;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] < 0 || at[i] >= extents[i])
        return edge(finding,
                    finding.symbol + (at.size() > 1 && i < std::size(kDirections) ? kDirections[i] : ""),
                    at[i], extents[i]);
    return std::nullopt;
  }
  if (!finding.in_buffer || finding.in_buffer->buffer.size == 0) return std::nullopt;
  const auto offset = static_cast<std::int64_t>(finding.in_buffer->offset),
             size = static_cast<std::int64_t>(finding.in_buffer->buffer.size);
  if (offset < size) return std::nullopt;
  return edge(finding, name_of(finding.in_buffer->buffer) + ", byte", offset, size);
}

Meeting meeting(const Finding& finding, bool one_block, const Sources& sources) {
  Meeting scene{party_of(*finding.other, one_block), party_of(finding, one_block),
                finding.symbol.empty() ? tr("the same word") : finding.symbol, missing_barrier(finding)};
  scene.first.code = code_of(sources, finding.other->file, finding.other->line);
  scene.second.code = code_of(sources, finding.file, finding.line);
  return scene;
}

Deadlock deadlock(const Finding& finding) {
  Deadlock scene;
  for (const StuckThreads& group : finding.stuck)
    scene.groups.push_back({{group.who, doing(group.line, group.does), {}}, group.wanted});
  return scene;
}

}  // namespace

Scene scene_of(const Finding& finding, const Sources& sources) {
  const bool one_block = finding.other && finding.block == finding.other->block;
  switch (finding.kind) {
    case FindingKind::race:
      if (!both_have_lines(finding)) return {};
      return meeting(finding, one_block, sources);
    case FindingKind::out_of_bounds:
      if (const std::optional<Edge> edge = edge_of(finding)) return *edge;
      return {};
    case FindingKind::uninitialized:
      if (finding.line <= 0) return {};
      if (!finding.symbol.empty()) return Unwritten{finding.symbol, party_of(finding, true)};
      if (finding.in_buffer)
        return Unwritten{
            fmt::format("{}, byte {}", name_of(finding.in_buffer->buffer), finding.in_buffer->offset),
            party_of(finding, true)};
      return {};
    case FindingKind::barrier:
    case FindingKind::mask:
    case FindingKind::hang:
      if (finding.stuck.size() > 1) return deadlock(finding);
      if (finding.kind == FindingKind::barrier && both_have_lines(finding))
        return Apart{party_of(finding, one_block), party_of(*finding.other, one_block)};
      return {};
    default:
      return {};
  }
}

}  // namespace sim::lens
