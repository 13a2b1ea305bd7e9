#include "grader/records/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grader/course/progress.h"
#include "grader/course/rung_files.h"
#include "grader/platform/files.h"
#include "grader/platform/json_file.h"
#include "grader/platform/process/file_lock.h"
#include "grader/records/measured.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

json load(const fs::path& file) {
  json kept = load_json(file);
  return kept.is_object() ? kept : json::object();
}

/// Slope and levels, as the event "peaks" has them (see the harness's README).
void add_roofs(const json& peaks, Roofline& roofline) {
  if (!peaks.is_object()) return;
  for (const char* mix : {"read_gbs", "two_to_one_gbs", "copy_gbs", "write_gbs"})
    roofline.gigabytes_per_s = std::max(roofline.gigabytes_per_s, peaks.value(mix, 0.0));
  constexpr std::pair<const char*, const char*> kLevels[] = {
      {"fp32_gflops", "single precision"},
      {"fp64_gflops", "double precision"},
      {"tensor_gflops", "half precision on tensor cores (wmma)"},
      {"warpgroup_gflops", "16 bits on tensor cores (wgmma)"}};
  for (const auto& [key, name] : kLevels) {
    const double level = peaks.value(key, 0.0);
    // Several runs found it, each a little different: the best is the peak. And a model may make no
    // difference between two kinds.
    const auto known = std::find_if(
        roofline.roofs.begin(), roofline.roofs.end(),
        [&, name = name](const Roof& roof) { return roof.name == name || roof.gigaflops_per_s == level; });
    if (known != roofline.roofs.end())
      known->gigaflops_per_s = std::max(known->gigaflops_per_s, level);
    else if (level > 0)
      roofline.roofs.push_back({name, level});
  }
}

/// A rung at its main size and at its others.
void add_points(const std::string& lesson, const std::string& name, const Timing& main,
                const std::vector<Timing>& others, Roofline& roofline) {
  roofline.points.push_back(RooflinePoint::of(lesson, name, main));
  for (const Timing& other : others)
    roofline.points.push_back(RooflinePoint::of(lesson, name + ", " + other.size, other));
}

/// The times of a device, of rungs that the course has.
void add_kept_points(const json& lessons, const Course& course, Roofline& roofline) {
  const auto find = [&](const LessonInfo& lesson, const RungInfo& rung) -> std::optional<Verdict> {
    for (const std::string& key : Progress::keys(lesson, rung)) {
      const json::json_pointer place("/" + key + "/verdict");
      try {
        if (lessons.contains(place)) return lessons.at(place).get<Verdict>();
      } catch (const std::exception&) {  // another version's; the next run replaces it
      }
    }
    return std::nullopt;
  };
  for (const LessonInfo& lesson : course.lessons)
    for (const RungInfo& rung : lesson.rungs)
      if (const std::optional<Verdict> verdict = find(lesson, rung); verdict && verdict->timing)
        add_points(lesson.id(), lesson.id(rung) + " " + spoken(rung), *verdict->timing, verdict->more_timings,
                   roofline);
}

/// Where nobody measured the memory's peak, what the rungs' shares of it say.
double slope_of(const std::vector<Measured>& all) {
  double slope = 0;
  for (const Measured& measured : all)
    for (const Verdict& verdict : measured.rungs)
      if (verdict.timing && verdict.timing->speed_of_light > 0.05)
        slope = std::max(slope, verdict.timing->gigabytes_per_s / verdict.timing->speed_of_light);
  return slope;
}

}  // namespace

void keep_times(const fs::path& folder, const LessonRunResult& result, const LessonInfo& lesson, Side side) {
  json rungs = json::object();
  for (const RungResult& rung : result.rungs) {
    if (rung.verdict.outcome != Outcome::passed || !rung.verdict.timing) continue;
    Verdict times = rung.verdict;  // without what takes room
    times.findings.clear();
    times.kernels.clear();
    rungs[times.rung] = {{"verdict", times}};
  }
  if (rungs.empty()) return;
  const FileLock lock(folder / "times.lock");
  const fs::path file = folder / "times.json";
  json kept = load(file);
  json& device = kept[to_string(side)][result.device.name + (result.device.modelled ? " (modelled)" : "")];
  device["name"] = result.device.name;
  device["modelled"] = result.device.modelled;
  if (!result.peaks.is_null()) {
    // A run of copies alone measures the link too; another need not.
    if (!device.contains("peaks")) device["peaks"] = json::object();
    device["peaks"].update(result.peaks);
  }
  device["lessons"][lesson.short_name].update(rungs);
  write_file(file, kept.dump(1) + "\n");
}

std::optional<Roofline> kept_roofline(const fs::path& folder, const Course& course, Side side, Kept which) {
  std::optional<Roofline> chosen;
  // Each of another version of the course, or damaged by hand, is left out.
  const json kept = load(folder / "times.json"), of_side = kept.value(to_string(side), json::object());
  for (const json& device : of_side) {
    if (!device.is_object()) continue;
    const bool modelled = device.value("modelled", true);
    if (which != Kept::best && modelled != (which == Kept::modelled)) continue;
    Roofline roofline;
    roofline.device = device.value("name", "");
    roofline.modelled = modelled;
    add_roofs(device.value("peaks", json()), roofline);
    add_kept_points(device.value("lessons", json::object()), course, roofline);
    if (!(roofline.gigabytes_per_s > 0) || roofline.points.empty()) continue;
    const auto rank = [](const Roofline& r) { return std::pair(!r.modelled, r.points.size()); };
    if (!chosen || rank(roofline) > rank(*chosen)) chosen = std::move(roofline);
  }
  if (chosen) mark_best(chosen->points);
  return chosen;
}

std::optional<Roofline> recorded_roofline(const Course& course) {
  struct Recorded {
    Roofline roofline;
    std::vector<Measured> lessons;
  };
  std::map<std::string, Recorded> devices;
  for (const LessonInfo& lesson : course.lessons) {
    std::optional<Measured> measured = load_measured(lesson);
    if (!measured) continue;
    Recorded& device = devices[measured->device.name];
    device.roofline.device = measured->device.name;
    add_roofs(measured->peaks, device.roofline);
    for (const RungInfo& rung : lesson.rungs)
      for (const Verdict& verdict : measured->rungs)
        if (verdict.rung == rung.name && verdict.timing)
          add_points(lesson.id(), lesson.id(rung) + " " + spoken(rung), *verdict.timing, verdict.more_timings,
                     device.roofline);
    device.lessons.push_back(std::move(*measured));
  }
  const auto most = std::max_element(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return a.second.roofline.points.size() < b.second.roofline.points.size();
  });
  if (most == devices.end() || most->second.roofline.points.empty()) return std::nullopt;
  Roofline roofline = std::move(most->second.roofline);
  if (!(roofline.gigabytes_per_s > 0)) roofline.gigabytes_per_s = slope_of(most->second.lessons);
  if (!(roofline.gigabytes_per_s > 0)) return std::nullopt;
  mark_best(roofline.points);
  return roofline;
}

}  // namespace ladder::cli
