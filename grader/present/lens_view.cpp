#include "grader/present/lens_view.h"

#include <algorithm>
#include <cstdio>

#include "grader/platform/files.h"
#include "simulator/lens/finding/picture.h"
#include "simulator/lens/page.h"

namespace ladder::cli {
std::vector<sim::KernelRecord> longest_of_each(const std::vector<sim::KernelRecord>& kernels) {
  std::vector<sim::KernelRecord> chosen;
  for (const sim::KernelRecord& k : kernels) {
    const auto known = std::find_if(chosen.begin(), chosen.end(),
                                    [&](const sim::KernelRecord& c) { return c.name == k.name; });
    if (known == chosen.end()) {
      chosen.push_back(k);
    } else if (k.modelled_ns > known->modelled_ns) {
      *known = k;
    }
  }
  return chosen;
}

std::vector<std::string> lens_lines(const std::vector<sim::KernelRecord>& kernels, const Terminal& terminal,
                                    LensPart part) {
  const sim::lens::TextStyle style{terminal.colour, terminal.unicode};
  std::vector<std::string> all;
  if (!kernels.empty() && part == LensPart::all) all = sim::lens::legend(style);
  for (const sim::KernelRecord& kernel : longest_of_each(kernels)) {
    if (!all.empty()) all.emplace_back();
    const auto lines = sim::lens::text_of(kernel, sim::lens::read_sources({kernel}), style, part);
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

std::vector<std::string> finding_pictures(const std::vector<sim::Finding>& findings,
                                          const Terminal& terminal) {
  std::vector<std::string> all;
  for (const sim::Finding& finding : findings) {
    const auto lines = sim::lens::text_of(finding, {terminal.colour, terminal.unicode});
    if (!lines.empty()) all.emplace_back();
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

void write_lens_page(const std::filesystem::path& file, const std::string& title,
                     const std::vector<sim::KernelRecord>& kernels) {
  const std::vector<sim::KernelRecord> chosen = longest_of_each(kernels);
  write_file(file, sim::lens::page_of(title, chosen, sim::lens::read_sources(chosen)));
}

void show_lens(const std::vector<sim::KernelRecord>& kernels, const std::string& title,
               const std::filesystem::path& page, const Terminal& errors, LensPart part) {
  for (const std::string& line : lens_lines(kernels, errors, part))
    std::fprintf(stderr, "%s\n", line.c_str());
  if (!page.empty()) write_lens_page(page, title, kernels);
}

}  // namespace ladder::cli
