import Base

/// The answer that a device has read last, or what came instead.
struct ReadAnswer {
  let request: UInt64
  /// 0: none came.
  let status: Int
  let instant: MonotonicInstant
  let rows: [Int64]
  /// Whether the server has said so itself, and not a portal on the way.
  let isServers: Bool
  /// A fault of the scenario may have answered in the server's place.
  var isExplained = true
  /// How many of its records the server says to have put aside.
  var putAside = 0

  var isSuccess: Bool { (200..<300).contains(status) }

  static func none(at instant: MonotonicInstant) -> ReadAnswer {
    ReadAnswer(request: 0, status: 0, instant: instant, rows: [], isServers: true)
  }
}
