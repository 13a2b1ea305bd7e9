// The roofline: how fast rungs compute over how much they
// compute on each byte, under the roof that the device sets.
#pragma once

#include <string>
#include <vector>

#include "grader/protocol/verdict.h"

namespace ladder::cli {

/// Where one rung stands.
struct RooflinePoint {
  std::string lesson;          ///< "19": points of a lesson have one colour
  std::string name;            ///< "3 shared tile", for the pointer to show
  double gigabytes_per_s = 0;  ///< of the bytes the contract needs, not of those the rung moved
  double gigaflops_per_s = 0;  ///< 0: it only moves data
  bool best = false;           ///< of its lesson: gets a label

  /// Of a verdict's times.
  static RooflinePoint of(const std::string& lesson, const std::string& name, const Timing& timing);
  /// Operations for each byte; 0 where it only moves data.
  double intensity() const;
};

/// A level part of the roof: what one kind of arithmetic unit can do at most.
struct Roof {
  std::string name;            ///< "fp32", "half precision, tensor cores"
  double gigaflops_per_s = 0;  ///< > 0
};

/// All of a picture.
struct Roofline {
  std::string device;          ///< "NVIDIA H200", shown as it is
  bool modelled = false;       ///< times come from the simulator's model; the picture says so
  double gigabytes_per_s = 0;  ///< the slope: memory's peak; > 0
  std::vector<Roof> roofs;     ///< may be empty
  std::vector<RooflinePoint> points;
};

/// Marks the fastest rung of each lesson as its best: by operations, or by bytes where there are none.
void mark_best(std::vector<RooflinePoint>& points);

}  // namespace ladder::cli
