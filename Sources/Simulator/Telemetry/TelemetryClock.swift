import Base
import FleetSimulator
import Scenario

/// Maps instants of a run to the time in metrics and traces.
struct TelemetryClock {
  /// A section from an instant of the run on, with its number of nanoseconds of the run per reported nanosecond.
  private struct Piece {
    let run: Int64
    /// Nanoseconds since 1970; a run may have any date, and 64 bits end in 2262.
    let unix: Int128
    let factor: Double
  }

  private var pieces: [Piece]
  /// Whether the machine's clock is reported, which the run follows.
  private let isMachines: Bool
  private let born: WallInstant

  /// `now` is the machine's date and time at the start of the run.
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
    pieces = [Piece(run: 0, unix: Int128(begin) * 1_000_000, factor: factor)]
  }

  /// Sets the machine's date and time at which the run begins, after its devices were made.
  mutating func begin(at now: WallInstant) {
    guard isMachines, let first = pieces.first else { return }
    pieces[0] = Piece(
      run: 0, unix: first.unix + Int128(now.milliseconds(since: born)) * 1_000_000, factor: first.factor)
  }

  /// Notes the end of the drives, after which the run goes as fast as the machine's clock.
  mutating func settle(at instant: MonotonicInstant) {
    guard isMachines, pieces.count == 1 else { return }
    pieces.append(Piece(run: instant.nanoseconds, unix: unix(at: instant), factor: 1))
  }

  /// As OTLP has it: from 1970 to 2554.
  func unixNanoseconds(at instant: MonotonicInstant) -> UInt64 { UInt64(clamping: unix(at: instant)) }

  func unixMilliseconds(at instant: MonotonicInstant) -> Int64 { Int64(clamping: unix(at: instant) / 1_000_000) }

  private func unix(at instant: MonotonicInstant) -> Int128 {
    guard let piece = pieces.last(where: { $0.run <= instant.nanoseconds }) ?? pieces.first else { return 0 }
    let span = instant.nanoseconds - piece.run
    let passed = piece.factor == 1 ? span : Int64(Double(span) / piece.factor)
    return piece.unix + Int128(passed)
  }
}
