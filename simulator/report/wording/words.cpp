#include "simulator/report/wording/words.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>
#include <vector>

#include "language/catalogue.h"

namespace sim {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string text(const Index3& i) { return fmt::format("({},{},{})", i[0], i[1], i[2]); }

/// Words of a message's operands, in the context of the finding that says it.
struct InWords {
  const Finding& finding;
  std::string operator()(const std::string& words) const { return words; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(const AllocationName& a) const {
    return (a.variable.empty() ? "" : a.variable + ", ") +
           (a.line > 0 ? tr("{} of {}", a.origin, place_beside(finding, a.file, a.line)) : a.origin);
  }
  std::string operator()(const ApiCall& call) const { return call.name; }
  std::string operator()(OtherLine) const {
    const bool known = finding.other && finding.other->line > 0;
    return known ? place_beside(finding, finding.other->file, finding.other->line) : tr("elsewhere");
  }
  std::string operator()(OtherThread) const {
    return finding.other ? text(finding.other->thread) : tr("another");
  }
};

std::string in_words(const Message& message, const Finding& finding) {
  std::string words;
  for (const Message::Operand& operand : message.operands()) words += std::visit(InWords{finding}, operand);
  return words;
}

/// The other party, unless the sentence names it.
std::string other_party(const Finding& f) {
  if (!f.other || first_operand<OtherThread>(f.message) != nullptr) return {};
  const OtherParty& o = *f.other;
  return tr("; {}thread {} {}{}", o.block == f.block ? "" : tr("block {}, ", text(o.block)), text(o.thread),
            verb_of(o.access),
            o.line > 0 ? tr(" at {}{}", place_beside(f, o.file, o.line), in_header(o.inside)) : "");
}

bool ends_sentence(std::string_view words) {
  return std::string_view(".?!").find(words.back()) != std::string_view::npos || words.ends_with("。") ||
         words.ends_with("？") || words.ends_with("！");
}

/// Whether a namespace is for a library's own use: no reader looks for it.
bool is_inner_namespace(std::string_view part) {
  return part == "detail" || part == "internal" || part == "dispatch" || part == "__detail" ||
         part.starts_with("CUB_") || part.starts_with("THRUST_") || part.starts_with("CCCL_") ||
         part.starts_with("__") || part.starts_with("_V_");
}

}  // namespace

std::string place_beside(const Finding& finding, const std::string& file, int line) {
  const std::string name = file_name(file);
  return name.empty() || name == file_name(finding.file) ? tr("line {}", line)
                                                         : fmt::format("{}:{}", name, line);
}

std::string in_header(const SourceLine& inside) {
  return inside.line > 0 ? fmt::format(" ({}:{})", file_name(inside.file), inside.line) : "";
}

std::string sentence(const Finding& finding) {
  std::string words = in_words(finding.message, finding);
  if (!words.empty() && !ends_sentence(words)) words += tr(".");
  return words;
}

std::string claim_in_words(const Finding& finding) { return in_words(finding.claim, finding); }

std::string operand_in_words(const Finding& finding) {
  if (!finding.in_buffer) return finding.symbol;
  const auto& [offset, buffer] = *finding.in_buffer;
  return tr("byte {} of {} bytes from {}", offset, buffer.size, buffer.origin);
}

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

std::string finding_headline(const Finding& f) {
  std::string headline = tr(to_string(f.kind));
  if (f.space != MemorySpace::none) headline += tr(" in {} memory", tr(to_string(f.space)));
  if (!f.symbol.empty() && f.symbol.find(' ') == std::string::npos) headline += ": " + f.symbol;
  if (f.line > 0) headline += tr(" at {}:{}", file_name(f.file), f.line);
  if (!f.kernel.empty()) headline += " (" + readable_name(f.kernel) + ")";
  if (f.severity != Severity::error) headline += fmt::format(" ({})", tr(to_string(f.severity)));
  return headline;
}

std::string finding_detail(const Finding& f) {
  std::string detail = sentence(f);
  // Calls of the host have no threads, and what cannot be run has none yet.
  const bool of_the_host =
      !f.host_frames.empty() ||
      (f.kernel.empty() && (f.kind == FindingKind::memcpy || f.kind == FindingKind::free ||
                            f.kind == FindingKind::texture || f.kind == FindingKind::leak));
  const bool nobody = f.line <= 0 || of_the_host || f.kind == FindingKind::unsupported;
  if (!nobody)
    detail += tr("\nblock {}, thread {}{}{}", text(f.block), text(f.thread),
                 f.inside.line > 0 && f.kind != FindingKind::race
                     ? tr(", in {}:{}", file_name(f.inside.file), f.inside.line)
                     : "",
                 other_party(f));
  if (f.count > 1) detail += tr("\nand {} more like it", f.count - 1);
  return detail;
}

std::string finding_cure(const Finding& f) {
  const std::string cure = in_words(f.cure);
  return cure.empty() ? "" : tr("Usual cure: {}.", cure);
}

}  // namespace sim
