// The report of an ordinary program: findings and launches, written to a file as they happen.
#pragma once

#include "simulator/runtime/device.h"

namespace sim::runtime {

/// Whether this process writes a report: the environment names a file in LADDER_SIM_REPORT.
bool writes_report();

/// Appends what the device has to report, one JSON object a line, and forgets it: {"finding": {…}} or
/// {"kernel": {…}}. Nothing is kept back, so the file is complete however the program ends. Launches are left
/// out unless LADDER_SIM_REPORT_KERNELS is set. Call with the device's lock held.
void write_report(Device& device);

}  // namespace sim::runtime
