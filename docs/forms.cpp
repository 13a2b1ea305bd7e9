// Prints the table of supported instructions as a page of the documentation: `list_forms > instructions.md`.
#include <fmt/format.h>

#include <string>

#include "simulator/decode/instruction_def.h"

namespace {

/// Doxygen takes `::name` for a link and `%` for a command, in code as well.
std::string escaped(const std::string& form) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '%' || form.compare(i, 2, "::") == 0) text += '\\';
    text += form[i];
    if (form.compare(i, 2, "::") == 0) text += form[++i];
  }
  return text;
}

}  // namespace

int main() {
  fmt::print(
      "# Supported instructions {{#instructions}}\n\n"
      "Generated from the declarations in `simulator/instructions/`, by which the simulator also decodes and "
      "runs "
      "them. `{{.a,.b}}` stands for one of these qualifiers or none, `(.a,.b)` for one of them; `$` is one "
      "of the "
      "types on the right, `%` its width in bits. PTX for an older target than the last column says is "
      "refused, "
      "as ptxas does. Names that begin with `%` are special registers.\n");
  std::string family;
  for (const sim::exec::InstructionInfo& form : sim::exec::supported_instructions()) {
    if (form.pattern.find('_') != std::string::npos && form.pattern.find('.') == std::string::npos)
      continue;  // internal
    if (form.family != family)
      fmt::print("\n## {}\n\n| form | types | needs .target |\n|---|---|---|\n", form.family);
    family = form.family;
    fmt::print("| <code>{}</code> | {} | {} |\n", escaped(form.pattern), form.types, escaped(form.needs));
  }
}
