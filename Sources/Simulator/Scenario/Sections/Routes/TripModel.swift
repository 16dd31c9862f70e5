package import Base

/// Who goes where in a city, and when.
package enum TripModel: Equatable, Sendable {
  /// A day that follows a plan.
  case plan(DailyPlan)
  /// From one place to the next, for ever, with a pause of so many seconds at each.
  case markov(dwell: Distribution)
}

/// `{ model: "plan", plan }`.
struct PlannedTrips: ScenarioSection {
  var plan = DailyPlan.commuter

  static let table = Table<PlannedTrips>(
    "trips-plan", "A day that follows a plan.", [.key("plan", \.plan, .choice, "Whose day it is.")])
}

/// `{ model: "markov", dwell }`.
struct MarkovTrips: ScenarioSection {
  var dwell = Distribution.lognormal(median: 240, p95: 1_500)

  static let table = Table<MarkovTrips>(
    "trips-markov", "From one place to the next, for ever.",
    [
      .key(
        "dwell", \.dwell, .distribution(InSeconds.self),
        "How long a device stays at each place; a median of 4 m and one in twenty beyond 25 m when nobody says.")
    ])
}

extension Form where Value == TripModel {
  static var trips: Form {
    variants(
      tag: "model", standard: "markov",
      [
        Variant("plan") { (section: PlannedTrips) in .plan(section.plan) },
        Variant("markov") { (section: MarkovTrips) in .markov(dwell: section.dwell) },
      ])
  }
}
