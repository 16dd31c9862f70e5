import Base
import Scenario
import Upload

/// What checks look at.
struct Answer {
  let flight: Measures.Flight
  let status: Int
  let bytes: Int
  let duration: Nanoseconds

  func meets(_ condition: Condition) -> Bool {
    switch condition.subject {
    case .requestBytes: condition.holds(Double(flight.bytes))
    case .requestRecords: condition.holds(Double(flight.cargo.uuids.count))
    case .responseStatus: condition.holds(Double(status))
    case .responseBytes: condition.holds(Double(bytes))
    case .responseDuration: condition.holds(duration.seconds * 1_000)
    }
  }
}
