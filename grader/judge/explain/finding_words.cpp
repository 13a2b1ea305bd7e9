#include "grader/judge/explain/finding_words.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace ladder {
namespace {

std::string text(const sim::Index3& i) { return fmt::format("({},{},{})", i[0], i[1], i[2]); }

/// What the other party did, as a verb of "thread (1,0,0) ...".
std::string deed(const std::string& access) {
  if (access == "read") return "reads";
  if (access == "write") return "writes";
  if (access == "atomic") return "updates";
  return access == "exit" ? "leaves" : "waits";
}

/// The other party, unless the sentence names it.
std::string other_party(const sim::Finding& f) {
  if (!f.other || f.message.find(text(f.other->thread)) != std::string::npos) return {};
  const sim::OtherParty& o = *f.other;
  return fmt::format("; {}thread {} {}{}", o.block == f.block ? "" : "block " + text(o.block) + ", ",
                     text(o.thread), deed(o.access),
                     o.line > 0 ? " at " + sim::place_beside(f, o.file, o.line) : "");
}

/// Whether a namespace is for a library's own use: no reader looks for it.
bool is_inner_namespace(std::string_view part) {
  return part == "detail" || part == "internal" || part == "dispatch" || part == "__detail" ||
         part.starts_with("CUB_") || part.starts_with("THRUST_") || part.starts_with("CCCL_") ||
         part.starts_with("__") || part.starts_with("_V_");
}

}  // namespace

std::string readable_name(const std::string& name) {
  constexpr std::size_t kShort = 40;
  if (name.size() <= kShort) return name;
  // Without template arguments and parameters, part by part.
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '(' && name.compare(i, 21, "(anonymous namespace)") == 0 && depth == 0) {
      i += 20;
      continue;
    }
    if (c == '(' && depth == 0) break;
    if (c == '<') ++depth;
    if (depth == 0) {
      if (c == ' ')
        parts.assign(1, "");  // what stood before was the return type
      else if (c == ':' && i + 1 < name.size() && name[i + 1] == ':')
        parts.emplace_back(), ++i;
      else
        parts.back() += c;
    }
    if (c == '>') --depth;
  }
  std::string text;
  const bool library = parts.front() == "cub" || parts.front() == "thrust";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    // Of a library its name and the function's; of one's own code all but what is inner.
    if (!last && (parts[i].empty() || is_inner_namespace(parts[i]) || (library && i > 0))) continue;
    text += (text.empty() ? "" : "::") + parts[i];
  }
  return text.empty() ? name : text;
}

std::string finding_headline(const sim::Finding& f) {
  std::string headline = to_string(f.kind);
  if (!f.space.empty()) headline += " in " + f.space + " memory";
  if (!f.symbol.empty() && f.symbol.find(' ') == std::string::npos) headline += ": " + f.symbol;
  if (f.line > 0) headline += fmt::format(" at {}:{}", f.file.substr(f.file.find_last_of('/') + 1), f.line);
  if (!f.kernel.empty()) headline += " (" + readable_name(f.kernel) + ")";
  if (f.severity != sim::Severity::error) headline += fmt::format(" ({})", to_string(f.severity));
  return headline;
}

std::string finding_detail(const sim::Finding& f) {
  std::string detail = f.message;
  // Calls of the host have no threads, and what cannot be run has none yet.
  const bool of_the_host =
      !f.host_frames.empty() ||
      (f.kernel.empty() && (f.kind == sim::FindingKind::memcpy || f.kind == sim::FindingKind::free ||
                            f.kind == sim::FindingKind::texture || f.kind == sim::FindingKind::leak));
  const bool nobody = f.line <= 0 || of_the_host || f.kind == sim::FindingKind::unsupported;
  if (!nobody)
    detail += fmt::format("\nblock {}, thread {}{}", text(f.block), text(f.thread), other_party(f));
  if (f.count > 1) detail += fmt::format("\nand {} more like it", f.count - 1);
  return detail;
}

std::string finding_cure(const sim::Finding& f) {
  return f.cure.empty() ? "" : "Usual cure: " + f.cure + (f.cure.ends_with('.') ? "" : ".");
}

}  // namespace ladder
