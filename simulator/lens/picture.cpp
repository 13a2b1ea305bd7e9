#include "simulator/lens/picture.h"

#include "language/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "simulator/engine/access/cost.h"

namespace sim::lens {
namespace {

constexpr int kLanes = 32;

bool takes_part(const AccessSample& s, int lane) { return (s.mask >> lane & 1) != 0; }

/// First byte of a lane's access, from a multiple of 128 below the lowest.
std::int64_t address(const AccessSample& s, int lane, std::int64_t base) {
  return static_cast<std::int64_t>(s.first) + s.offset[std::size_t(lane)] - base;
}

/// What lies in memory, by the elements of the array that an access is to.
class Names {
 public:
  explicit Names(const ArrayShape& array) : array_(array), end_(end_of(array)) {}

  /// Of what begins at an address; empty outside of the array.
  std::string at(std::int64_t address) const {
    const bool is_there = !array_.name.empty() && address >= std::int64_t(array_.start) && address < end_;
    return is_there ? element_name(array_, address) : "";
  }
  /// Of the four bytes at an address.
  std::string word(std::int64_t address) const {
    std::string first = at(address);
    if (first.empty() || array_.element_bytes >= 4) return first;
    const std::string last = at(std::min(address + 3, end_ - 1));
    return first == last ? first
                         : fmt::format("{} {} {}", first, array_.element_bytes == 2 ? "and" : "to", last);
  }

 private:
  /// Behind its last byte; that of an array of unknown extent is never reached.
  static std::int64_t end_of(const ArrayShape& array) {
    std::int64_t bytes = array.element_bytes;
    for (const std::int64_t extent : array.extents) bytes *= extent;
    return bytes == 0 ? INT64_MAX : std::int64_t(array.start) + bytes;
  }

  const ArrayShape& array_;
  std::int64_t end_;
};

std::int64_t lowest_line(const AccessSample& s) {
  std::int64_t low = INT64_MAX;
  for (int i = 0; i < kLanes; ++i)
    if (takes_part(s, i)) low = std::min(low, address(s, i, 0));
  return low == INT64_MAX ? 0 : (low & ~std::int64_t{127});
}

void use(Cell& cell, int lane) {
  if (cell.state != Cell::State::used) cell.lane = lane;
  cell.state = Cell::State::used;
  ++cell.lanes;
}

Picture memory_picture(const AccessRecord& access) {
  const AccessSample& s = access.sample;
  Picture p;
  std::map<std::int64_t, Row> rows;
  std::set<std::int64_t> bytes;
  const std::int64_t base = lowest_line(s);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!takes_part(s, lane)) continue;
    const std::int64_t from = address(s, lane, base);
    for (std::int64_t b = from; b < from + access.bytes; ++b) bytes.insert(b);
    for (std::int64_t word = from / 4; word <= (from + access.bytes - 1) / 4; ++word)
      use(rows[word / 32].cells[std::size_t(word % 32)], lane);
  }
  const Names names(access.array);
  std::uint32_t sectors = 0;
  for (auto& [line, row] : rows) {
    row.label = line * 128;
    for (std::size_t sector = 0; sector < 4; ++sector) {
      const auto first = row.cells.begin() + std::ptrdiff_t(sector) * 8, last = first + 8;
      if (std::none_of(first, last, [](const Cell& c) { return c.state == Cell::State::used; })) continue;
      ++sectors;
      for (auto c = first; c != last; ++c)
        if (c->state == Cell::State::untouched) c->state = Cell::State::wasted;
    }
    row.element = names.at(base + row.label);
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (row.cells[i].state != Cell::State::untouched)
        row.cells[i].element = names.word(base + row.label + std::int64_t(i) * 4);
    p.rows.push_back(row);
  }
  p.useful_bytes = bytes.size();
  p.moved_bytes = std::uint64_t{sectors} * 32;
  p.ideal = std::uint32_t((bytes.size() + 31) / 32);
  return p;
}

/// The passes: each serves one word of every bank, as early as it can.
/// @param group  lanes that go together
Picture bank_picture(const AccessRecord& access, int group) {
  const AccessSample& s = access.sample;
  const Names names(access.array);
  Picture p;
  p.banks = true;
  std::set<std::int64_t> words;
  std::size_t first_pass = 0, groups = 0;  // at work
  for (int start = 0; start < kLanes; start += group) {
    std::map<std::int64_t, std::size_t> pass_of;  // by word
    std::array<std::size_t, 32> used{};           // passes of this group by bank
    for (int lane = start; lane < start + group; ++lane) {
      if (!takes_part(s, lane)) continue;
      const std::int64_t from = address(s, lane, 0) / 4;
      for (std::int64_t word = from; word < from + std::max<std::int64_t>(1, access.bytes / 4); ++word) {
        const auto bank = std::size_t(word % 32);
        const bool again = access.access == AccessKind::atomic;  // lanes of one word take turns
        const auto known = pass_of.find(word);
        const std::size_t pass = known != pass_of.end() && !again ? known->second : used[bank]++;
        pass_of[word] = pass;
        if (p.rows.size() <= first_pass + pass) p.rows.resize(first_pass + pass + 1);
        Cell& cell = p.rows[first_pass + pass].cells[bank];
        use(cell, lane);
        cell.element = names.word(word * 4);
        words.insert(word);
      }
    }
    groups += p.rows.size() > first_pass;
    first_pass = p.rows.size();
  }
  for (std::size_t i = 0; i < p.rows.size(); ++i) p.rows[i].label = std::int64_t(i) + 1;
  p.useful_bytes = words.size() * 4;
  p.moved_bytes = p.rows.size() * 128;
  p.ideal = std::uint32_t(std::max(groups, (words.size() + 31) / 32));
  return p;
}

}  // namespace

Picture picture_of(const AccessRecord& access) {
  if (access.space != MemorySpace::shared) return memory_picture(access);
  const int group = access.bytes <= 4 ? 32 : access.bytes == 8 ? 16 : 8;
  Picture apart = bank_picture(access, group);
  if (group == 32 || access.access != AccessKind::read) return apart;
  // Two groups go together where neighbouring lanes load the same; the counter knows when.
  const AccessSample& s = access.sample;
  const std::uint32_t passes =
      exec::count_wavefronts(s.offset.data(), s.mask, std::uint64_t(s.first), access.bytes, true);
  return passes == apart.rows.size() ? apart : bank_picture(access, 2 * group);
}

std::string label_of(const Picture& picture, const Row& row, std::size_t most) {
  if (picture.banks) return fmt::format("pass {}", row.label);
  const std::string indices = row.element.substr(std::min(row.element.find('['), row.element.size()));
  return !row.element.empty() && row.element.size() <= most ? row.element
         : !indices.empty() && indices.size() <= most       ? indices
                                                            : fmt::format("+{}", row.label);
}

AccessRecord at_step(const AccessRecord& access, const AccessSample& step) {
  AccessRecord only = access;
  only.steps.clear();
  only.sample = step;
  only.requests = step.uses;
  only.cost = step.uses * step.cost;
  return only;
}

std::size_t worst_step(const AccessRecord& access) {
  const auto worst =
      std::max_element(access.steps.begin(), access.steps.end(),
                       [](const AccessSample& a, const AccessSample& b) { return a.cost < b.cost; });
  return std::size_t(worst - access.steps.begin());
}

double cost_per_request(const AccessRecord& access) {
  return access.requests == 0 ? 0 : double(access.cost) / double(access.requests);
}

double ideal_per_request(const AccessRecord& access) {
  if (access.sample.mask == 0) return cost_per_request(access);
  return std::min<double>(cost_per_request(access), std::max(1u, picture_of(access).ideal));
}

AccessPattern pattern_of(const AccessRecord& access) {
  using Kind = AccessPattern::Kind;
  const AccessSample& s = access.sample;
  std::set<std::int64_t> steps, places;
  std::set<std::pair<int, std::int64_t>> leaps;  // from each lane at work to the next: lanes, bytes
  int last = -1, lanes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!takes_part(s, lane)) continue;
    ++lanes;
    places.insert(s.offset[std::size_t(lane)]);
    const std::int64_t step = last < 0 ? 0 : s.offset[std::size_t(lane)] - s.offset[std::size_t(last)];
    if (last >= 0) leaps.emplace(lane - last, step);
    if (last == lane - 1 && last >= 0) steps.insert(step);
    last = lane;
  }
  if (lanes == 1) return {Kind::one_lane};
  if (access.space == MemorySpace::local) return {Kind::own_memory};
  if (places.size() == 1) return {Kind::one_address};
  const std::int64_t step = steps.empty() ? 0 : *steps.begin();
  if (steps.size() == 1 && step == access.bytes) return {Kind::neighbouring};
  if (steps.size() == 1 && step != 0) return {Kind::strided, step};
  if (leaps.size() == 1 && leaps.begin()->first > 1)
    return {Kind::some_lanes, leaps.begin()->second, leaps.begin()->first};
  return {Kind::scattered, 0, 0, places.size()};
}

std::string pattern_in_words(const AccessRecord& access) {
  using Kind = AccessPattern::Kind;
  const bool atomic = access.access != AccessKind::read && access.access != AccessKind::write;
  const char* const does = atomic ? tr("updates") : verb_of(access.access);
  const char* const all = access.access == AccessKind::read    ? tr("read")
                          : access.access == AccessKind::write ? tr("write")
                                                               : tr("update");
  const AccessPattern p = pattern_of(access);
  switch (p.kind) {
    case Kind::one_lane:
      return tr("one thread alone {}", does);
    case Kind::own_memory:
      return tr("each thread {} its own local memory", does);
    case Kind::one_address:
      return tr("all threads {} one address", all);
    case Kind::neighbouring:
      return tr("neighbouring threads {} neighbouring addresses", all);
    case Kind::strided:
      return tr("neighbouring threads {} addresses {} bytes apart", all, std::abs(p.step));
    case Kind::some_lanes:
      return tr("one thread of {} {}, and the next {} bytes further", p.lanes, does, p.step);
    case Kind::scattered:
      return tr("the threads of a warp {} {} scattered addresses", all, p.places);
  }
  return "";
}

Activity activity_of(const std::vector<TraceStep>& trace, std::size_t most) {
  Activity all;
  for (const TraceStep& step : trace) all.instructions += step.instructions;
  const std::size_t bins = std::min<std::size_t>(most, all.instructions);
  if (bins == 0) return all;
  all.bins.resize(bins);
  all.lanes.resize(bins);
  const double per_bin = double(all.instructions) / double(bins);
  double from = 0;  // in instructions
  for (const TraceStep& step : trace) {
    const double to = from + step.instructions;
    const int lanes = std::popcount(step.mask);
    all.average += lanes * double(step.instructions) / double(all.instructions);
    for (auto i = std::size_t(from / per_bin); i < bins && double(i) * per_bin < to; ++i) {
      const double part =
          (std::min(to, double(i + 1) * per_bin) - std::max(from, double(i) * per_bin)) / per_bin;
      all.lanes[i] += part * lanes;
      for (int lane = 0; lane < kLanes; ++lane)
        if ((step.mask >> lane & 1) != 0) all.bins[i][std::size_t(lane)] += part;
    }
    from = to;
  }
  return all;
}

bool diverged(const std::vector<TraceStep>& trace) {
  return std::any_of(trace.begin(), trace.end(),
                     [&](const TraceStep& step) { return step.mask != trace.front().mask; });
}

std::vector<SimilarAccesses> similar_accesses(const LineRecord& line) {
  std::vector<SimilarAccesses> groups;
  for (const AccessRecord& a : line.accesses) {
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const SimilarAccesses& one) {
      const AccessRecord& b = *one.shown;
      return a.space == b.space && a.access == b.access && a.bytes == b.bytes &&
             a.sample.mask == b.sample.mask && std::abs(cost_per_request(a) - cost_per_request(b)) < 0.05 &&
             pattern_in_words(a) == pattern_in_words(b);
    });
    SimilarAccesses& one = known == groups.end() ? groups.emplace_back(SimilarAccesses{.shown = &a}) : *known;
    ++one.count;
    one.requests += a.requests;
    one.cost += a.cost;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const SimilarAccesses& a, const SimilarAccesses& b) {
    return a.requests > b.requests;
  });
  return groups;
}

std::vector<double> shares(const KernelRecord& kernel) {
  std::vector<double> weights;
  double sum = 0;
  for (const LineRecord& line : kernel.lines) {
    double memory = 0, shared = 0, loads = 0, atomics = 0;
    for (const AccessRecord& a : line.accesses) {
      const bool in_shared = a.space == MemorySpace::shared;
      (in_shared ? shared : memory) += double(a.cost);
      shared += in_shared ? 0 : double(a.cost) / 4;
      if (a.access == AccessKind::read) loads += double(a.requests) * (in_shared ? 1 : 20);
      if (a.access == AccessKind::atomic) atomics += double(a.cost);
    }
    const double issued = double(line.inst_executed);
    const double weight =
        kernel.bound == "DRAM" || kernel.bound == "L2" || kernel.bound == "L1" || kernel.bound == "migration"
            ? memory
        : kernel.bound == "shared wavefronts" ? shared
        : kernel.bound == "atomics"           ? atomics
        : kernel.bound == "latency"           ? loads + issued / 8
                                              : issued;
    weights.push_back(weight);
    sum += weight;
  }
  for (double& w : weights) w = sum > 0 ? w / sum : 0;
  return weights;
}

}  // namespace sim::lens
