#include "grader/protocol/request.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace ladder {
namespace {

using Values = std::vector<std::string>;

double number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(value >= 0))
    throw std::invalid_argument("wants a number, not '" + text + "'");
  return value;
}

std::uint64_t whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("wants a whole number, not '" + text + "'");
  return value;
}

/// As short as it can be told.
std::string in_short(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

/// @param member  of a request: where the value is kept
template <class Member>
RequestOption text(const char* name, const char* value, const char* help, Member member) {
  return {name,
          value,
          help,
          false,
          [=](const RunRequest& r) { return member(r).empty() ? Values{} : Values{member(r)}; },
          [=](RunRequest& r, const std::string& given) { member(r) = given; }};
}

template <class Member>
RequestOption flag(const char* name, const char* help, Member member) {
  return {name,
          "",
          help,
          false,
          [=](const RunRequest& r) { return member(r) ? Values{""} : Values{}; },
          [=](RunRequest& r, const std::string&) { member(r) = true; }};
}

template <class Member>
RequestOption amount(const char* name, const char* value, const char* help, Member member) {
  return {name,
          value,
          help,
          false,
          [=](const RunRequest& r) {
            static const RunRequest usual;
            return member(r) == member(usual) ? Values{} : Values{in_short(static_cast<double>(member(r)))};
          },
          [=](RunRequest& r, const std::string& given) {
            member(r) = static_cast<std::decay_t<decltype(member(r))>>(number(given));
          }};
}

template <class Member>
RequestOption modules(const char* name, const char* help, Member member) {
  return {name,
          "NAME=MODULE[@CC]",
          help,
          true,
          [=](const RunRequest& r) {
            Values words;
            for (const RungSpec& spec : member(r)) words.push_back(spec.text());
            return words;
          },
          [=](RunRequest& r, const std::string& given) { member(r).push_back(RungSpec::parse(given)); }};
}

template <class Member>
RequestOption command(const char* name, const char* help, Member member) {
  return {name,
          "FILE",
          help,
          false,
          [=](const RunRequest& r) { return member(r).given() ? Values{member(r).file} : Values{}; },
          [=](RunRequest& r, const std::string& given) { member(r) = WorkerCommand::read(given); }};
}

// A member of a request, constant or not as the request is.
#define MEMBER(path) \
  [](auto& r) -> auto& { return r.path; }

std::vector<RequestOption> make_options() {
  return {
      text("--lesson", "LESSON.so", "the lesson's plugin", MEMBER(lesson_path)),
      text("--lesson-name", "NAME", "the lesson's folder", MEMBER(lesson_name)),
      modules("--rung", "a rung, and the compute capability that it needs", MEMBER(rungs)),
      modules("--baseline", "a library's version of the contract", MEMBER(baselines)),
      flag("--check-only", "no timing", MEMBER(check_only)),
      {"--cases", "quick|all", "which check cases", false,
       [](const RunRequest& r) { return r.quick ? Values{"quick"} : Values{}; },
       [](RunRequest& r, const std::string& given) {
         if (given != "quick" && given != "all") throw std::invalid_argument("wants quick or all");
         r.quick = given == "quick";
       }},
      text("--peaks", "FILE", "where the device's measured peaks are kept", MEMBER(peaks_file)),
      text("--peaks-module", "peaks.so", "kernels that measure them", MEMBER(peaks_module)),
      command("--worker-command", "JSON: what starts a rung's process", MEMBER(limits.command)),
      flag("--apart", "the simulator is another process than the rung's", MEMBER(apart.apart)),
      command("--simulator-command", "JSON: what starts the simulator's process",
              MEMBER(apart.simulator_command)),
      amount("--rung-seconds", "SECONDS", "for all calls of a rung together; 0: no limit",
             MEMBER(limits.rung_seconds)),
      amount("--timeout", "SECONDS", "for one call of a rung", MEMBER(limits.call_seconds)),
      amount("--end-seconds", "SECONDS", "for a rung's process to end by itself", MEMBER(limits.end_seconds)),
      amount("--memory-mb", "N", "host memory of a rung's process", MEMBER(limits.memory_mb)),
      amount("--hidden", "N", "further cases of secret sizes", MEMBER(hidden)),
      {"--seed", "N", "of the cases", false,
       [](const RunRequest& r) { return r.seed ? Values{std::to_string(*r.seed)} : Values{}; },
       [](RunRequest& r, const std::string& given) { r.seed = whole_number(given); }},
  };
}

#undef MEMBER

}  // namespace

RungSpec RungSpec::of(std::string name, std::string module, const std::string& capability) {
  RungSpec spec{std::move(name), std::move(module)};
  if (capability.empty()) return spec;
  int used = 0;
  const bool read =
      std::sscanf(capability.c_str(), "%d.%d%n", &spec.needs_major, &spec.needs_minor, &used) == 2;
  const std::string rest = read ? capability.substr(static_cast<std::size_t>(used)) : "";
  if (!read || (!rest.empty() && rest != "a"))
    throw std::invalid_argument("'" + capability + "' is no compute capability such as 8.0");
  spec.exactly = rest == "a";
  return spec;
}

std::string RungSpec::text() const {
  std::string text = name + "=" + module;
  if (needs_major > 0) text += "@" + std::to_string(needs_major) + "." + std::to_string(needs_minor);
  if (exactly) text += "a";
  return text;
}

RungSpec RungSpec::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw std::invalid_argument("'" + text + "' is not NAME=MODULE or NAME=MODULE@8.0");
  const std::string name = text.substr(0, equals), module = text.substr(equals + 1);
  const std::size_t at = module.rfind('@');
  if (at == std::string::npos) return of(name, module);
  if (at + 1 == module.size())
    throw std::invalid_argument("'" + text + "' has no compute capability behind @");
  return of(name, module.substr(0, at), module.substr(at + 1));
}

const std::vector<RequestOption>& request_options() {
  static const std::vector<RequestOption> all = make_options();
  return all;
}

Values to_words(const RunRequest& request) {
  Values words;
  for (const RequestOption& option : request_options())
    for (const std::string& value : option.write(request)) {
      words.push_back(option.name);
      if (!option.value.empty()) words.push_back(value);
    }
  return words;
}

}  // namespace ladder
