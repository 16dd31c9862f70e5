/// What the days of somebody look like.
package enum Occupation: Equatable, Sendable, CaseIterable {
  /// To work and back by car, now and then by way of a shop; on some weekend days to a shop.
  case commuter
  /// From a depot from door to door, every weekday.
  case courier
  /// Two walks around the home each day.
  case walker
  /// To work and back by bicycle.
  case cyclist
  /// To work in the evening and home in the morning, by car.
  case nightShift
  /// A car that is used every fourth day or so.
  case parkedCar

  /// What suits it.
  package var transport: Transport {
    switch self {
    case .commuter, .courier, .nightShift, .parkedCar: .car
    case .cyclist: .bicycle
    case .walker: .foot
    }
  }
}
