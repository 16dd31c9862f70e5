import Base
import Contract
import Engine
import Host
import Oracle
import Queue

/// The last position of a phone that the server has acknowledged.
struct KnownPlace: Sendable {
  /// The records that wait, in the order of their rows, and where they were made.
  private var waiting: [(row: Int64, uuid: UUID128, place: Coordinate?)] = []
  /// Nil before the first.
  private(set) var place: Coordinate?

  /// Returns the place that the server has just learned.
  mutating func see(_ event: SimulationEvent) -> Coordinate? {
    switch event {
    case .queue(.inserted(_, let row, let uuid, _, _)): waiting.append((row, uuid, nil))
    case .queue(.deleted(_, let row, let cause)):
      let index = waiting.indexBehind { $0.row < row }
      guard index < waiting.count, waiting[index].row == row else { return nil }
      let record = waiting.remove(at: index)
      guard cause == .upload, let learned = record.place else { return nil }
      place = learned
      return learned
    case .told(.engine(.location(let record))), .told(.engine(.motionChange(let record))):
      guard let index = waiting.lastIndex(where: { $0.uuid == record.uuid }) else { return nil }
      waiting[index].place = Coordinate(latitude: record.coords.latitude, longitude: record.coords.longitude)
    default: break
    }
    return nil
  }
}
