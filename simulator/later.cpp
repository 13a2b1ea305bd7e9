// A first build's simulator has not what few lessons use: whoever meets it is told what is missing, as of any
// instruction that no simulator has. Declared here and not included: compiling headers would take longer than
// all of this file.
namespace sim {

namespace exec {
class InstructionSet;
void declare_rare(InstructionSet&) {}
}  // namespace exec

namespace cudart {
struct CheckedLaunch;
bool explores(const CheckedLaunch&) { return false; }
void explore(const CheckedLaunch&) {}
}  // namespace cudart

}  // namespace sim
