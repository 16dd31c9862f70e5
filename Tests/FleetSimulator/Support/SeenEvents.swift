import Base
import JSON
import Oracle
import Queue
import Upload
import Vocabulary
import World

@testable import FleetSimulator

/// What a test wants to know of a run.
final class SeenEvents: Watcher {
  private var instants: [Double] = []
  private(set) var refusals = 0
  private(set) var kills = 0
  private(set) var launches = 0
  private(set) var begun: [FaultOccurrence] = []
  private(set) var ended: [FaultOccurrence] = []
  private(set) var wallErrorsSeconds: Set<Int64> = []
  private(set) var outcomes: [(device: Int, seconds: Double, status: Int)] = []
  /// Records that the server said it had already.
  private(set) var duplicates = 0
  private var sent: [Asked] = []
  private var durations: [(start: Double, seconds: Double)] = []
  private var paths: [String] = []
  private let start: WallInstant

  private struct Asked: Hashable {
    let device: Int
    let request: UInt64
    let seconds: Double
  }

  var faultsBegun: Int { begun.count }

  init(from start: WallInstant) { self.start = start }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    let seconds = context.now.monotonic.seconds
    switch event {
    case .queue(.inserted(_, _, _, let timestamp, _)):
      instants.append(seconds)
      let error = timestamp.millisecondsSince1970 - start.millisecondsSince1970 - Int64(seconds * 1_000)
      wallErrorsSeconds.insert((error + (error < 0 ? -500 : 500)) / 1_000)
    case .queue(.refused): refusals += 1
    case .killed: kills += 1
    case .launched: launches += 1
    case .faultBegan(let occurrence): begun.append(occurrence)
    case .faultEnded(let occurrence): ended.append(occurrence)
    case .sent(let request):
      sent.append(Asked(device: context.device, request: request.id, seconds: seconds))
      paths.append(request.url)
    case .ended(let request, let outcome):
      if let index = sent.firstIndex(where: { $0.device == context.device && $0.request == request }) {
        let asked = sent.remove(at: index)
        durations.append((asked.seconds, seconds - asked.seconds))
      }
      outcomes.append((context.device, seconds, outcome.status))
      if case .answered(_, _, let body) = outcome { duplicates += SeenEvents.duplicates(in: body) }
    default: break
    }
  }

  func inserts(from start: Double, to end: Double) -> Int { instants.count { start < $0 && $0 < end } }

  /// The statuses of requests that ended then.
  func outcomes(from start: Double, to end: Double) -> [Int] {
    outcomes.filter { start < $0.seconds && $0.seconds < end }.map(\.status)
  }

  /// How long the longest request took that was made then.
  func longest(from start: Double, to end: Double) -> Double {
    durations.filter { start <= $0.start && $0.start < end }.map(\.seconds).max() ?? 0
  }

  func requests(to path: String) -> Int { paths.count { $0.hasSuffix(path) } }

  /// Nothing in an answer that is not the server's.
  private static func duplicates(in body: [UInt8]) -> Int {
    do {
      if case .integer(let count)? = try JSONValue(parsing: body.span)["duplicate"] { return Int(count) }
    } catch { return 0 }
    return 0
  }
}
