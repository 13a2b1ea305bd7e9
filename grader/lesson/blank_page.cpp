#include "grader/lesson/blank_page.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

namespace ladder {

bool is_blank_page(std::string_view rung) { return rung.substr(0, rung.find('.')).ends_with("_blank_page"); }

std::string plugin_for(const std::string& lesson, std::string_view rung) {
  return is_blank_page(rung) ? std::filesystem::path(lesson).replace_filename("blank_page.so").string()
                             : lesson;
}

WithBlankPage::WithBlankPage(std::unique_ptr<Lesson> lesson, std::unique_ptr<Lesson> page)
    : lesson_(std::move(lesson)), page_(std::move(page)) {}

std::vector<Case> WithBlankPage::cases(DeviceKind device) const {
  std::vector<Case> all = lesson_->cases(device);
  for (Case& which : page_->cases(device)) {
    which.blank_page = true;
    all.push_back(std::move(which));
  }
  return all;
}

bool WithBlankPage::applies(const Case& which, std::string_view rung) const {
  return which.blank_page == is_blank_page(rung) && of(which).applies(which, rung);
}

void WithBlankPage::declare(Problem& problem, Random& random) const {
  of(problem.which()).declare(problem, random);
}

void WithBlankPage::reference(Problem& problem) const { of(problem.which()).reference(problem); }

cudaError_t WithBlankPage::launch(const Case&, const Arguments&) {
  throw std::logic_error("the judge has no rung to launch");
}

}  // namespace ladder
