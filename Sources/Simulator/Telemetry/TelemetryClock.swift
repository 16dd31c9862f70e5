import Base
import FleetSimulator
import Scenario

/// What time it is in metrics and traces at an instant of the run.
struct TelemetryClock {
  /// From an instant of the run on, so many nanoseconds of the run pass in one that is told.
  private struct Piece {
    let run: Int64
    let unix: Int64
    let factor: Double
  }

  private var pieces: [Piece]
  /// The machine's clock is told, by which the run goes.
  private let isMachines: Bool
  private let born: WallInstant

  /// `now` is the machine's date and time when the run begins.
  init(_ time: TelemetryTime, _ setup: RunSetup, now: WallInstant) {
    born = now
    isMachines = time != .simulated && setup.outside.map { $0.lockstep == nil } ?? false
    let span = (setup.duration + setup.settle).wholeMilliseconds
    let begin: Int64 =
      if isMachines {
        now.millisecondsSince1970
      } else if time == .now {
        now.millisecondsSince1970 - span
      } else {
        setup.start.millisecondsSince1970
      }
    let factor = isMachines ? setup.outside?.factor ?? 1 : 1
    pieces = [Piece(run: 0, unix: begin * 1_000_000, factor: factor)]
  }

  /// The devices are made, and the run begins, by the machine's clock.
  mutating func begin(at now: WallInstant) {
    guard isMachines, let first = pieces.first else { return }
    pieces[0] = Piece(run: 0, unix: first.unix + now.milliseconds(since: born) * 1_000_000, factor: first.factor)
  }

  /// The drives are over: from now on the run goes as fast as the machine's clock.
  mutating func settle(at instant: MonotonicInstant) {
    guard isMachines, pieces.count == 1 else { return }
    pieces.append(Piece(run: instant.nanoseconds, unix: Int64(unixNanoseconds(at: instant)), factor: 1))
  }

  func unixNanoseconds(at instant: MonotonicInstant) -> UInt64 {
    guard let piece = pieces.last(where: { $0.run <= instant.nanoseconds }) ?? pieces.first else { return 0 }
    let span = instant.nanoseconds - piece.run
    let passed = piece.factor == 1 ? span : Int64(Double(span) / piece.factor)
    return UInt64(max(0, piece.unix + passed))
  }
}
