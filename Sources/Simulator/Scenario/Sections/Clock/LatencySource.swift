/// What a request costs in the virtual time of lockstep.
package enum LatencySource: String, CaseIterable, Sendable {
  case measured
  case modelled
}
