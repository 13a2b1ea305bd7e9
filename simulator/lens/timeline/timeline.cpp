#include "simulator/lens/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "simulator/lens/text.h"

namespace sim::lens {
namespace {

using Kind = TimelineSpan::Kind;

constexpr std::size_t kTurnsShown = 4;   // of the ring of stages
constexpr std::uint32_t kWarpgroup = 4;  // warps
constexpr double kMuch = 0.1;            // of a warp's time

/// The stages that copies go to: what waits for others waits for room.
std::set<std::int32_t> copied_stages(const Timeline& t) {
  std::set<std::int32_t> stages;
  for (const TimelineSpan& s : t.spans)
    if (s.kind == Kind::copy && s.stage >= 0) stages.insert(s.stage);
  return stages;
}

bool waits_for_copies(const TimelineSpan& s, const std::set<std::int32_t>& copied) {
  return s.kind == Kind::wait_copies || (s.kind == Kind::wait_stage && copied.contains(s.stage));
}

std::string stage_name(const Timeline& t, std::int32_t stage) {
  return stage >= 0 && std::size_t(stage) < t.stages.size() ? t.stages[std::size_t(stage)] : "";
}

/// Copies into a stage that are under way together are one use of it.
std::vector<TimelineSpan> uses(const Timeline& t, std::int32_t stage) {
  std::vector<TimelineSpan> all;
  for (const TimelineSpan& s : t.spans) {
    if (s.kind != Kind::copy || s.stage != stage) continue;
    if (!all.empty() && s.begin_ns <= all.back().end_ns)
      all.back().end_ns = std::max(all.back().end_ns, s.end_ns);
    else
      all.push_back(s);
  }
  return all;
}

double end_of(const Timeline& t) {
  double end = 0;
  for (const double e : t.warp_end_ns) end = std::max(end, e);
  return end;
}

/// Until the fifth use of a stage begins; all of a block that is not much longer.
double shown_until(const Timeline& t) {
  const double end = end_of(t);
  double until = end;
  for (const std::int32_t stage : copied_stages(t))
    if (const auto all = uses(t, stage); all.size() > kTurnsShown)
      until = std::min(until, all[kTurnsShown].begin_ns);
  return until > end / 2 ? end : until;
}

std::string percent_of(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// A copy's shortest time, and the work of a turn, from one copy's arrival to the next, of who waits for
/// them.
struct Ring {
  std::size_t stages = 0, turns = 0;
  double copy_ns = 0;
  double work_ns = 0;
};

Ring ring_of(const Timeline& t, const Role& consumer) {
  Ring ring;
  double first = 0, last = 0;  // arrivals
  for (const std::int32_t stage : copied_stages(t)) {
    ++ring.stages;
    for (const TimelineSpan& use : uses(t, stage)) {
      const double ns = use.end_ns - use.begin_ns;
      ring.copy_ns = ring.turns == 0 ? ns : std::min(ring.copy_ns, ns);
      first = ring.turns == 0 ? use.end_ns : std::min(first, use.end_ns);
      last = std::max(last, use.end_ns);
      ++ring.turns;
    }
  }
  double works = last - first;
  for (const TimelineSpan& s : t.spans)
    if (s.warp == consumer.warps.front() && wait_letter(s.kind) != 0 && s.kind != Kind::wait_products &&
        s.kind != Kind::load)
      works -= std::max(0.0, std::min(s.end_ns, last) - std::max(s.begin_ns, first));
  ring.work_ns = works / double(std::max<std::size_t>(2, ring.turns) - 1);
  return ring;
}

std::string ring_in_words(const Ring& ring, double waits_for_copies) {
  if (ring.turns <= ring.stages) return {};  // nothing comes round
  std::string text = fmt::format("A copy takes at least {}, a turn's work {}.", time_in_words(ring.copy_ns),
                                 time_in_words(ring.work_ns));
  const double needed = std::ceil(ring.copy_ns / std::max(1.0, ring.work_ns)) + 1;
  if (waits_for_copies < kMuch) return text + " The copies keep up.";
  if (double(ring.stages) < needed)
    return text + fmt::format(" {} stage{} cannot hide that, {:.0f} could.", ring.stages,
                              ring.stages == 1 ? "" : "s", needed);
  return text + " More stages would not help: the copies come no faster.";
}

}  // namespace

char wait_letter(Kind kind) {
  switch (kind) {
    case Kind::wait_stage:
      return 'm';
    case Kind::wait_block:
      return 'b';
    case Kind::wait_copies:
      return 'c';
    case Kind::wait_stores:
      return 's';
    case Kind::wait_products:
      return 't';
    case Kind::load:
      return 'l';
    default:
      return 0;
  }
}

bool is_asynchronous(const Timeline& timeline) {
  return std::any_of(timeline.spans.begin(), timeline.spans.end(), [](const TimelineSpan& s) {
    return s.kind == Kind::copy || s.kind == Kind::store || s.kind == Kind::product ||
           s.kind == Kind::wait_stage;
  });
}

std::vector<Role> roles_of(const Timeline& t) {
  std::vector<Role> warps(t.warp_end_ns.size());
  const std::set<std::int32_t> copied = copied_stages(t);
  for (std::size_t i = 0; i < warps.size(); ++i) {
    warps[i].warps = {std::uint32_t(i)};
    warps[i].end_ns = t.warp_end_ns[i];
  }
  for (const TimelineSpan& s : t.spans) {
    if (s.warp >= warps.size()) continue;
    Role& w = warps[s.warp];
    w.copies |= s.kind == Kind::copy, w.stores |= s.kind == Kind::store;
    w.products |= s.kind == Kind::product, w.multiplies |= s.kind == Kind::multiply;
    w.waits |= s.kind == Kind::wait_stage;
    const double share = (s.end_ns - s.begin_ns) / std::max(1.0, w.end_ns);
    w.share[s.kind] += share;
    if (waits_for_copies(s, copied))
      w.waits_for_copies += share;
    else if (s.kind == Kind::wait_stage)
      w.waits_for_room += share;
  }
  // Who multiplies may let one of its warps store for all; warpgroups may take turns.
  const auto does = [](const Role& w) {
    const bool multiplies = w.products || w.multiplies;
    return std::tuple(w.copies, w.products, w.multiplies, !multiplies && w.stores,
                      !multiplies && !w.copies && w.waits, w.products ? w.warps.front() / kWarpgroup : 0);
  };
  std::vector<Role> roles;
  for (const Role& w : warps) {
    const auto known =
        std::find_if(roles.begin(), roles.end(), [&](const Role& r) { return does(r) == does(w); });
    if (known == roles.end()) {
      roles.push_back(w);
    } else {
      known->warps.push_back(w.warps.front());
      known->stores |= w.stores;
    }
  }
  return roles;
}

std::string role_in_words(const Role& role) {
  std::string numbers;
  for (std::size_t i = 0; i < role.warps.size();) {
    std::size_t last = i;
    while (last + 1 < role.warps.size() && role.warps[last + 1] == role.warps[last] + 1) ++last;
    numbers += numbers.empty() ? "" : ",";
    numbers +=
        last == i ? fmt::format("{}", role.warps[i]) : fmt::format("{}-{}", role.warps[i], role.warps[last]);
    i = last + 1;
  }
  const bool one = role.warps.size() == 1;
  std::string does;
  const auto add = [&](bool it, const char* verb, const char* of_one) {
    if (it) does += (does.empty() ? ", " : " and ") + std::string(one ? of_one : verb);
  };
  add(role.copies, "copy", "copies");
  add(role.products || role.multiplies, "multiply", "multiplies");
  add(role.stores && !role.products && !role.multiplies, "store", "stores");
  return fmt::format("{} {}{}", one ? "warp" : "warps", numbers, does);
}

TimelineView view_of(const Timeline& t) {
  TimelineView view;
  view.end_ns = end_of(t);
  view.shown_ns = shown_until(t);
  for (const std::int32_t stage : copied_stages(t))
    view.rows.push_back({TimelineRow::Kind::stage, stage_name(t, stage), uses(t, stage)});
  std::sort(view.rows.begin(), view.rows.end(),
            [](const TimelineRow& a, const TimelineRow& b) { return a.label < b.label; });
  for (const Role& role : roles_of(t)) {
    TimelineRow activity{TimelineRow::Kind::activity, role_in_words(role), {}, role.end_ns};
    TimelineRow cores{TimelineRow::Kind::tensor_cores, "  tensor cores", {}};
    TimelineRow stores{TimelineRow::Kind::stores, "  bulk stores", {}};
    for (const TimelineSpan& s : t.spans) {
      if (s.kind == Kind::store && std::count(role.warps.begin(), role.warps.end(), s.warp) != 0)
        stores.spans.push_back(s);
      if (s.warp != role.warps.front()) continue;
      if (wait_letter(s.kind) != 0) activity.spans.push_back(s);
      if (s.kind == Kind::product || s.kind == Kind::multiply) cores.spans.push_back(s);
    }
    view.rows.push_back(std::move(activity));
    if (!cores.spans.empty()) view.rows.push_back(std::move(cores));
    if (!stores.spans.empty()) view.rows.push_back(std::move(stores));
  }
  return view;
}

std::vector<std::string> timeline_in_words(const Timeline& t) {
  std::vector<std::string> sentences;
  const std::vector<Role> roles = roles_of(t);
  const Role* hungriest = nullptr;  // of those who use what is copied
  for (const Role& role : roles) {
    std::vector<std::string> parts;
    const auto add = [&](double share, const char* what) {
      if (share >= 0.005) parts.push_back(percent_of(share) + " " + what);
    };
    const auto share = [&](Kind kind) {
      const auto known = role.share.find(kind);
      return known == role.share.end() ? 0 : known->second;
    };
    add(share(Kind::product) + share(Kind::multiply), "of the time on the tensor cores");
    add(role.waits_for_copies, "waiting for copies");
    add(role.waits_for_room, role.copies ? "waiting for a free stage" : "waiting for other mbarriers");
    add(share(Kind::wait_block), "at barriers");
    add(share(Kind::wait_products), "waiting for the tensor cores");
    add(share(Kind::wait_stores), "waiting for stores");
    add(share(Kind::load), "waiting for loads");
    if (!parts.empty())
      sentences.push_back(fmt::format("{}: {}.", role_in_words(role), fmt::join(parts, ", ")));
    const bool uses_copies =
        role.waits || role.products || role.multiplies || role.share.contains(Kind::wait_copies);
    const bool produces_alone =
        role.copies && !role.products && !role.multiplies && role.waits_for_copies == 0;
    if (uses_copies && !produces_alone &&
        (hungriest == nullptr || role.waits_for_copies > hungriest->waits_for_copies))
      hungriest = &role;
  }
  if (hungriest != nullptr)
    if (std::string ring = ring_in_words(ring_of(t, *hungriest), hungriest->waits_for_copies); !ring.empty())
      sentences.push_back(std::move(ring));
  return sentences;
}

std::string extent_in_words(const Timeline& t, const TimelineView& view) {
  std::string text = fmt::format("block ({},{},{}), ", t.block[0], t.block[1], t.block[2]);
  if (view.shown_ns < view.end_ns || t.cut)
    text += fmt::format("the first {} of {}{}", time_in_words(view.shown_ns), t.cut ? "more than " : "",
                        time_in_words(view.end_ns));
  else
    text += time_in_words(view.end_ns);
  if (t.resident > 1) text += fmt::format("; {} such blocks share its SM", t.resident);
  return text;
}

}  // namespace sim::lens
