import Scenario
import World

extension RunSetup {
  static func movement(
    of traits: FleetTraits, _ transport: Transport, in scenario: Scenario, _ place: String, _ problems: inout [String]
  ) -> Movement {
    guard let name = traits.routes else { return .shuttle(transport) }
    if case .city(let city)? = scenario.routes.first(where: { $0.name == name })?.value,
      case .plan(let plan) = city.trips
    {
      switch plan {
      case .commuter: return .plan(.commuter)
      case .courier: return .plan(.courier)
      case .walker: return .plan(.walker)
      case .cyclist: return .plan(.cyclist)
      case .nightShift: return .plan(.nightShift)
      case .parked: return .plan(.parkedCar)
      }
    }
    problems.append("\(place).routes: only a grid-city with trips by plan can be simulated yet")
    return .shuttle(transport)
  }
}
