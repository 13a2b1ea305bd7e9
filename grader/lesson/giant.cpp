#include "grader/lesson/giant.h"

#include "grader/lesson/blank_page.h"

namespace ladder {

std::vector<Case> giant_cases_of(const Lesson& lesson) {
  if (const auto* both = dynamic_cast<const WithBlankPage*>(&lesson)) {
    std::vector<Case> all = giant_cases_of(both->lesson());
    for (Case& which : giant_cases_of(both->page())) {
      which.blank_page = true;
      all.push_back(std::move(which));
    }
    return all;
  }
  const auto* giant = dynamic_cast<const Giant*>(&lesson);
  return giant == nullptr ? std::vector<Case>() : giant->giant_cases();
}

const Giant& giant_of(const Lesson& lesson, const Case& which) {
  if (const auto* both = dynamic_cast<const WithBlankPage*>(&lesson))
    return giant_of(which.blank_page ? both->page() : both->lesson(), which);
  return dynamic_cast<const Giant&>(lesson);
}

}  // namespace ladder
