import Base
import Glibc
import Shell

/// What the process that has begun a worker tells it while a run in real time goes on.
enum WorkerOrder: Equatable {
  /// The drives begin at that instant of the machine's clock, which is the same in all processes.
  case begin(MonotonicInstant)
  /// The drives end now, because the whole has missed a threshold that ends the run, or lost one of its parts.
  case endDrives

  /// So short that a pipe takes and gives it whole.
  static let size = 9

  init?(_ bytes: [UInt8]) {
    guard bytes.count == WorkerOrder.size else { return nil }
    let number = bytes.dropFirst().reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    switch bytes[0] {
    case 0: self = .begin(MonotonicInstant(nanoseconds: Int64(bitPattern: number)))
    case 1: self = .endDrives
    default: return nil
    }
  }

  var bytes: [UInt8] {
    let (kind, number): (UInt8, Int64) =
      switch self {
      case .begin(let instant): (0, instant.nanoseconds)
      case .endDrives: (1, 0)
      }
    return [kind] + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

extension WorkerOrder {
  /// The next one from a pipe; nil when none comes in that time, or none comes any more.
  static func next(from descriptor: Int32, milliseconds: Int32) -> WorkerOrder? {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&look, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    guard unsafe read(descriptor, &bytes, size) == size else { return nil }
    return WorkerOrder(bytes)
  }
}
