#include "grader/grade/publish/policy.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <initializer_list>

#include "grader/course/names.h"
#include "grader/platform/failure.h"
#include "grader/platform/sha256.h"
#include "grader/platform/text.h"
#include "grader/platform/toml_keys.h"

namespace ladder::cli::grade {
namespace {

constexpr int kLongestKey = 64;  // parts between dots

/// One table of the file, whose keys are all known and of the right type, or else it says which line is not.
class Reader {
 public:
  Reader(const toml::table& table, std::string name, const std::filesystem::path& file)
      : table_(table), name_(std::move(name)), file_(file) {}

  void know(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, node] : table_) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
      const std::vector<std::string> near =
          nearest(std::string(key.str()), std::vector<std::string>(keys.begin(), keys.end()));
      fail(node, fmt::format("unknown key `{}`{}{}", key.str(), name_.empty() ? "" : " in [" + name_ + "]",
                             near.empty() ? "" : fmt::format("; did you mean `{}`?", near.front())));
    }
  }

  double number(std::string_view key, double otherwise, double least, double most) const {
    const toml::node* node = table_.get(key);
    return node == nullptr ? otherwise : number_of(*node, key, least, most);
  }
  double number_of(const toml::node& node, std::string_view key, double least, double most) const {
    const auto value = node.value<double>();
    if (!node.is_number() || !value || !(*value >= least && *value <= most))
      fail(node, fmt::format("`{}` must be a number from {:g} to {:g}", key, least, most));
    return *value;
  }

  /// A whole number.
  int count(std::string_view key, int otherwise, int least, int most) const {
    const double value = number(key, otherwise, least, most);
    if (value != std::floor(value)) fail(*table_.get(key), fmt::format("`{}` must be a whole number", key));
    return static_cast<int>(value);
  }

  std::string text(std::string_view key, std::string otherwise) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return otherwise;
    const auto value = node->value_exact<std::string>();
    if (!value) fail(*node, fmt::format("`{}` must be a string in quotes", key));
    return *value;
  }

  std::optional<Reader> table(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_table()) fail(*node, fmt::format("`{}` must be a table: write [{}]", key, key));
    return Reader(*node->as_table(), name_.empty() ? std::string(key) : name_ + "." + std::string(key),
                  file_);
  }

  const toml::array* array(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node != nullptr && !node->is_array()) fail(*node, fmt::format("`{}` must be a list", key));
    return node == nullptr ? nullptr : node->as_array();
  }

  /// A date and time with its offset from UTC. @return seconds since 1970
  std::int64_t moment_of(const toml::node& node, std::string_view key) const {
    const auto* value = node.as_date_time();
    if (value == nullptr || !(*value)->offset)
      fail(node, fmt::format("`{}` must be a time with its offset, such as 2026-11-20T23:59:00+01:00", key));
    const toml::date_time& when = value->get();
    std::tm parts{};
    parts.tm_year = when.date.year - 1900;
    parts.tm_mon = when.date.month - 1;
    parts.tm_mday = when.date.day;
    parts.tm_hour = when.time.hour;
    parts.tm_min = when.time.minute;
    parts.tm_sec = when.time.second;
    return static_cast<std::int64_t>(::timegm(&parts)) - when.offset->minutes * 60;
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw Failure(ExitCode::usage,
                  fmt::format("{}:{}: {}", file_.string(), node.source().begin.line, message));
  }
  const toml::table& raw() const { return table_; }

 private:
  const toml::table& table_;
  std::string name_;
  const std::filesystem::path& file_;
};

/// Runs what looks names up in the course, and puts the line before its complaint.
template <class Find>
auto at_line(const Reader& reader, const toml::node& node, const Find& find) {
  try {
    return find();
  } catch (const Failure& failure) {
    reader.fail(node, failure.what() + (failure.advice().empty() ? std::string() : ". " + failure.advice()));
  }
}

void read_points(const Reader& points, const Course& course, Policy& policy) {
  // Whole lessons first: a rung of its own line wins over its lesson's.
  for (const bool rungs : {false, true}) {
    for (const auto& [key, node] : points.raw()) {
      const std::string name(key.str());
      if (node.is_table())
        points.fail(node, fmt::format("write the rung's number in quotes: \"{}.1\" = 5", name));
      const Selection selection = at_line(points, node, [&] { return find_selection(course, name); });
      if (selection.one_rung != rungs) continue;
      for (const RungInfo* rung : selection.rungs)
        policy.points[selection.lesson->name + "/" + rung->name] = points.number_of(node, name, 0, 1e6);
    }
  }
}

void read_performance(const Reader& table, Policy& policy) {
  table.know({"share", "bands"});
  policy.performance_share = table.number("share", 0.5, 0, 1);
  const toml::array* bands = table.array("bands");
  if (bands == nullptr) {
    policy.bands = {{1.2, 1.0}, {1.5, 0.75}, {2.0, 0.5}, {4.0, 0.25}};
    return;
  }
  if (bands->empty()) table.fail(*bands, "no band: no time could earn anything");
  for (const toml::node& node : *bands) {
    if (!node.is_table()) table.fail(node, "a band looks like { within = 1.5, credit = 0.75 }");
    Band next;
    const toml::table& keys = *node.as_table();
    if (!keys.contains("within") || !keys.contains("credit"))
      table.fail(node, "a band looks like { within = 1.5, credit = 0.75 }");
    for (const auto& [key, value] : keys) {
      if (key.str() == "within")
        next.within = table.number_of(value, "within", 0.01, 1e6);
      else if (key.str() == "credit")
        next.credit = table.number_of(value, "credit", 0, 1);
      else
        table.fail(value, fmt::format("unknown key `{}` in a band", key.str()));
    }
    if (!policy.bands.empty() && next.within <= policy.bands.back().within)
      table.fail(node, "bands go from fast to slow: `within` must grow");
    if (!policy.bands.empty() && next.credit > policy.bands.back().credit)
      table.fail(node, "a slower band cannot earn more than a faster one");
    policy.bands.push_back(next);
  }
}

void read_late(const Reader& table, Policy& policy) {
  table.know({"per_day", "most", "marked_days", "days", "deadline", "handed_in"});
  Late& late = policy.late;
  late.per_day = table.number("per_day", 0, 0, 1);
  late.most = table.number("most", 1, 0, 1);
  for (const char* key : {"days", "deadline", "marked_days"})
    if (const toml::node* node = table.raw().get(key); node != nullptr && !table.raw().contains("per_day"))
      table.fail(*node, "[late] lacks `per_day`: the share of the points that a day costs, 0 for none");
  late.canvas_days = table.number("marked_days", 1, 0, 365);
  if (const auto days = table.table("days"))
    for (const auto& [student, node] : days->raw())
      late.days[printable_name(student.str())] = days->number_of(node, student.str(), 0, 365);
  if (const toml::node* node = table.raw().get("deadline"))
    late.deadline = table.moment_of(*node, "deadline");
  if (const auto times = table.table("handed_in")) {
    for (const auto& [student, node] : times->raw()) {
      if (!late.deadline) times->fail(node, "`handed_in` needs a `deadline` in [late]");
      late.handed_in[printable_name(student.str())] = times->moment_of(node, student.str());
    }
  }
}

/// Who is in the class ladder asked for it: nobody is in it by a mistake in the file.
void read_nicknames(const Reader& table, Policy& policy) {
  constexpr std::size_t kLongest = 40;
  std::map<std::string, std::string> owners;
  for (const auto& [student, node] : table.raw()) {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty() || value->size() > kLongest)
      table.fail(node, fmt::format("a nickname is a string of 1 to {} bytes", kLongest));
    const std::string nickname = printable_name(*value);
    const std::string name = printable_name(student.str());
    if (const auto [owner, is_new] = owners.emplace(nickname, name); !is_new)
      table.fail(node, fmt::format("{} is called `{}` already", owner->second, nickname));
    policy.nicknames[name] = nickname;
  }
}

void read_limits(const Reader& table, Limits& limits) {
  table.know({"rung_seconds", "call_seconds", "compile_seconds", "memory_mb", "compile_memory_mb", "file_mb",
              "processes"});
  limits.rung_seconds = table.number("rung_seconds", limits.rung_seconds, 1, 86400);
  limits.call_seconds = table.number("call_seconds", limits.call_seconds, 1, 3600);
  limits.compile_seconds = table.number("compile_seconds", limits.compile_seconds, 5, 3600);
  const auto whole = [&](const char* key, int& value, int least) {
    value = table.count(key, value, least, 1 << 20);
  };
  whole("memory_mb", limits.memory_mb, 64);
  whole("compile_memory_mb", limits.compile_memory_mb, 1024);
  whole("file_mb", limits.file_mb, 8);
  whole("processes", limits.processes, 16);
}

}  // namespace

double Policy::points_of(const LessonInfo& lesson, const RungInfo& rung) const {
  const auto own = points.find(lesson.name + "/" + rung.name);
  return own != points.end() ? own->second : rung.points;
}

double Policy::credit_for(double ratio) const {
  for (const Band& band : bands)
    if (ratio <= band.within) return band.credit;
  return 0;
}

double Policy::days_late(const std::string& student, bool marked) const {
  if (const auto own = late.days.find(student); own != late.days.end()) return own->second;
  if (const auto time = late.handed_in.find(student); time != late.handed_in.end())
    return std::max(0.0, static_cast<double>(time->second - *late.deadline) / 86400);
  return marked ? late.canvas_days : 0;
}

double Policy::late_factor(double days) const {
  return 1 - std::min({late.per_day * std::ceil(days), late.most, 1.0});
}

Policy parse_policy(std::string_view text, const std::filesystem::path& file, const Course& course) {
  toml::table root;
  if (const std::size_t line = line_of_long_key(text, kLongestKey); line != 0)
    throw Failure(ExitCode::usage,
                  fmt::format("{}:{}: a key of more than {} parts", file.string(), line, kLongestKey));
  try {
    root = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw Failure(ExitCode::usage, fmt::format("{}:{}: {}", file.string(), error.source().begin.line,
                                               std::string(error.description())));
  }
  const Reader reader(root, "", file);
  reader.know({"title", "lessons", "seed", "hidden_cases", "cases", "device", "arch", "points", "idea_share",
               "performance", "late", "nicknames", "limits"});
  Policy policy;
  policy.hash = sha256(text);
  policy.title = reader.text("title", "");
  if (const toml::array* lessons = reader.array("lessons"))
    for (const toml::node& node : *lessons) {
      const auto name = node.value_exact<std::string>();
      if (!name) reader.fail(node, "`lessons` is a list of strings such as \"09\"");
      policy.lessons.push_back(at_line(reader, node, [&] { return find_lesson(course, *name).name; }));
    }
  if (const toml::node* node = root.get("seed")) {
    const auto seed = node->value_exact<std::int64_t>();
    if (!seed || *seed < 0 || *seed >= (std::int64_t{1} << 53))
      reader.fail(*node, "`seed` must be a whole number, 0 or more and less than 2^53");
    policy.seed = static_cast<std::uint64_t>(*seed);
  }
  policy.hidden_cases = reader.count("hidden_cases", 0, 0, 1000);
  const std::string cases = reader.text("cases", "all");
  if (cases != "all" && cases != "quick") reader.fail(*root.get("cases"), "`cases` is \"all\" or \"quick\"");
  policy.quick = cases == "quick";
  policy.device = reader.text("device", "auto");
  if (policy.device != "auto" && policy.device != "sim" && policy.device != "gpu")
    reader.fail(*root.get("device"), "`device` is \"auto\", \"sim\" or \"gpu\"");
  if (const toml::node* node = root.get("arch")) {
    policy.arch = read_architecture(reader.text("arch", ""));
    if (policy.arch.empty()) reader.fail(*node, "`arch` is an architecture such as \"compute_80\"");
  }
  policy.idea_share = reader.number("idea_share", policy.idea_share, 0, 1);
  if (const auto points = reader.table("points")) read_points(*points, course, policy);
  if (const auto performance = reader.table("performance")) read_performance(*performance, policy);
  if (const auto late = reader.table("late")) read_late(*late, policy);
  if (const auto nicknames = reader.table("nicknames")) {
    if (!(policy.performance_share > 0))
      reader.fail(*root.get("nicknames"), "`nicknames` needs [performance]: without it nobody is timed");
    read_nicknames(*nicknames, policy);
  }
  if (const auto limits = reader.table("limits")) read_limits(*limits, policy.limits);
  return policy;
}

}  // namespace ladder::cli::grade
