/// What a later record has to show before a command counts as carried out.
package enum CommandProof: Equatable, Sendable {
  /// A motion change into this state.
  case motionChange(isMoving: Bool)
  /// The odometer stands near this value, in metres.
  case odometer(metres: Double)

  /// How far a device may have gone between the command and its next record.
  private static let distance = 1_000.0

  func holds(of point: Point) -> Bool {
    switch self {
    case .motionChange(let isMoving): point.event == "motionchange" && point.isMoving == isMoving
    case .odometer(let metres): point.odometer.map { (metres - 1...metres + Self.distance).contains($0) } ?? false
    }
  }
}
