import Base
import Glibc
import Shell

/// An instruction to a worker during a run in real time.
enum WorkerInstruction: Equatable {
  /// Start the drives at that instant of the machine's clock, which all processes share.
  case begin(MonotonicInstant)
  /// End the drives now, because the whole has missed a threshold that ends the run, or lost a part.
  case endDrives

  /// Short enough for an atomic write to a pipe.
  static let size = 9

  init?(_ bytes: [UInt8]) {
    guard bytes.count == WorkerInstruction.size else { return nil }
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

extension WorkerInstruction {
  /// Reads the next instruction from a pipe; nil after the timeout or at its end.
  static func next(from descriptor: Int32, milliseconds: Int32) -> WorkerInstruction? {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&look, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    guard unsafe read(descriptor, &bytes, size) == size else { return nil }
    return WorkerInstruction(bytes)
  }
}
