#include "simulator/report.h"

#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include "simulator/report_fold.h"

namespace sim {
namespace {

/// Every counter.
constexpr std::uint64_t Counters::*kCounters[] = {
    &Counters::inst_executed,
    &Counters::thread_inst_executed,
    &Counters::global_load_requests,
    &Counters::global_load_sectors,
    &Counters::global_store_requests,
    &Counters::global_store_sectors,
    &Counters::global_atomic_requests,
    &Counters::global_atomic_sectors,
    &Counters::shared_load_requests,
    &Counters::shared_load_wavefronts,
    &Counters::shared_store_requests,
    &Counters::shared_store_wavefronts,
    &Counters::shared_atomic_requests,
    &Counters::shared_atomic_wavefronts,
    &Counters::local_load_requests,
    &Counters::local_load_sectors,
    &Counters::local_store_requests,
    &Counters::local_store_sectors,
    &Counters::branches,
    &Counters::divergent_branches,
    &Counters::barriers,
};

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// Digits that belong to a name stay.
std::string without_numbers(const std::string& text) {
  std::string words;
  bool in_name = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) in_name = c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (!digit || in_name) words += c;
  }
  return words;
}

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  for (const auto counter : kCounters) this->*counter += other.*counter;
  return *this;
}

void Counters::scale(double factor) {
  for (const auto counter : kCounters)
    this->*counter = static_cast<std::uint64_t>(static_cast<double>(this->*counter) * factor);
}

std::string place_beside(const Finding& finding, const std::string& file, int line) {
  const std::string name = file_name(file), number = std::to_string(line);
  return name.empty() || name == file_name(finding.file) ? "line " + number : name + ":" + number;
}

std::vector<Finding> fold(std::vector<Finding> findings) {
  using Line = std::pair<std::string, int>;
  using Key = std::tuple<std::string, std::string, std::string, int, std::string, std::string, Line, Line>;
  std::vector<Finding> folded;
  std::map<Key, std::size_t> known;
  for (Finding& f : findings) {
    const bool race = f.kind == "race";
    Line here{f.file, f.line}, there = f.other ? Line{f.other->file, f.other->line} : Line{};
    if (race && there < here) std::swap(here, there);
    const std::string words = f.line > 0 ? "" : f.kind == "leak" ? f.message : without_numbers(f.message);
    const Key key{f.kind, f.space, race ? "" : f.access, f.other ? 0 : f.nth, f.severity, words, here, there};
    const auto [at, fresh] = known.try_emplace(key, folded.size());
    if (fresh)
      folded.push_back(std::move(f));
    else
      folded[at->second].count += f.count;
  }
  return folded;
}

}  // namespace sim
