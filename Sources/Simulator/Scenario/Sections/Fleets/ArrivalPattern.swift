/// How trips are spread over time.
package enum ArrivalPattern: String, CaseIterable, Sendable {
  /// By chance; the count of a stage is exact.
  case poisson
  case even
}
