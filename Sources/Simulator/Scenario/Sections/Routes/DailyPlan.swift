/// What a person does with the day.
package enum DailyPlan: String, CaseIterable, Sendable {
  case commuter
  case courier
  case walker
  case cyclist
  case nightShift = "night-shift"
  case parked
}
