/// How fast a recorded route is driven.
package enum ReplayTiming: String, CaseIterable, Sendable {
  case recorded
  case modelled
}
