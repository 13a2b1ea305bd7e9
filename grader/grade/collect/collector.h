// From the files of a submission to the rungs in it.
#pragma once

#include <string>
#include <vector>

#include "grader/grade/collect/submissions.h"
#include "grader/grade/collect/tree.h"

namespace ladder::cli::grade {

inline constexpr std::size_t kMostIgnored = 50;  ///< files kept by name, of one student
inline constexpr std::size_t kMostSources =
    16 << 20;                                      ///< bytes of rungs' files, of one student; ours have 2 MiB
inline constexpr std::size_t kLongestShown = 300;  ///< bytes of a path or a complaint that somebody reads

/// Takes what a student handed in apart, tree by tree, into a submission.
class Collector {
 public:
  /// @param grading  says what cells are like, in which archives are unpacked
  Collector(const Grading& grading, const Course& course, Submission& submission)
      : grading_(grading), course_(course), submission_(submission) {}

  void add(const Tree& tree);
  /// A tree, and the archives in it.
  /// @param depth  how many archives it lies in
  void add_with_archives(const Tree& tree, int depth = 0);
  /// Notes for the instructor what could not be read; the rest counts.
  void complain(const std::string& what);
  /// Sorts the rungs as the course does. To be called at the end.
  void finish();

 private:
  void take(const Tree& tree, const Tree::Entry& entry);
  /// One of two files for one rung: the later upload, else the one that lies less deep.
  void choose(RungFile& taken, RungFile&& other);
  void ignore(const std::string& path, const std::string& why);
  /// Whether it is one of the course's own files beside the rungs, as whole lessons bring them.
  bool is_the_courses(const std::string& path) const;

  const Grading& grading_;
  const Course& course_;
  Submission& submission_;
  std::size_t bytes_ = 0;  ///< of the files that were taken
  int archives_ = 0;
  int complaints_ = 0;
};

}  // namespace ladder::cli::grade
