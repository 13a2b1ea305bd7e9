// The last rung of a lesson, for which there is only an empty file: another problem of the same idea.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "grader/lesson/lesson.h"

namespace ladder {

/// Whether a rung, "15_blank_page", one of its wrong kernels, "15_blank_page.no_guard", or a baseline,
/// "cub_blank_page", is of the lesson's blank page.
bool is_blank_page(std::string_view rung);

/// The plugin that a rung is held to: a blank page has a contract of its own, and its plugin lies beside the
/// lesson's, since a plugin is loaded only into what defines its contract's function.
/// @param lesson  path of the lesson's plugin
std::string plugin_for(const std::string& lesson, std::string_view rung);

/// A lesson and its blank page as one, for the judge: each case knows whose it is (Case::blank_page).
class WithBlankPage : public Lesson {
 public:
  WithBlankPage(std::unique_ptr<Lesson> lesson, std::unique_ptr<Lesson> page);
  const Lesson& lesson() const { return *lesson_; }
  const Lesson& page() const { return *page_; }

  std::vector<Case> cases(DeviceKind device) const override;
  bool valid(const Case& which) const override { return of(which).valid(which); }
  bool applies(const Case& which, std::string_view rung) const override;
  void declare(Problem& problem, Random& random) const override;
  void reference(Problem& problem) const override;
  Work work(const Case& which) const override { return of(which).work(which); }
  /// The lesson's: its blank page is timed alike.
  TimingScope timing_scope() const override { return lesson_->timing_scope(); }
  int devices(DeviceKind device) const override { return lesson_->devices(device); }
  /// @throws std::logic_error: in a rung's process a plugin is by itself
  cudaError_t launch(const Case& which, const Arguments& arguments) override;

 private:
  const Lesson& of(const Case& which) const { return which.blank_page ? *page_ : *lesson_; }

  std::unique_ptr<Lesson> lesson_, page_;
};

}  // namespace ladder
