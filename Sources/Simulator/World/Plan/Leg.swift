/// The next thing somebody means to do: to go somewhere, at a time of day or some time after they got here.
struct Leg: Equatable, Sendable {
  enum Departure: Equatable, Sendable {
    case at(secondsAfterMidnight: Double)
    case after(seconds: Double)
  }

  let departure: Departure
  let destination: Address
}
