package import Base
package import FleetSimulator
import HTTP1
import HTTPService
package import Network
import Synchronization

/// Looks at a run and steers it over HTTP while it goes on, by the contract openapi/control-room.json. The run's thread hands
/// in what only it can know; everything else is read from its steering.
package final class ControlRoom: Sendable {
  private let service: HTTPService
  private let board: RoomBoard
  private let worker: RoomWorker
  private let steering: RunSteering

  /// Listens at `127.0.0.1:5665` or the like; port 0 lets the kernel choose. `token` is asked for where it is not nil.
  package init(_ run: WatchedRun, listen: String, token: String?) throws(NetworkError) {
    let (board, worker) = (RoomBoard(), RoomWorker())
    let handlers = RoomHandlers(run: run, board: board, worker: worker)
    let router = RoomRouter(access: RoomAccess(token: token), handlers: handlers)
    var behaviour = ServiceBehaviour { router.reply(to: $0) }
    behaviour.limits.bodyBytes = 1 << 20
    do throws(NetworkError) {
      service = try HTTPService(listen: listen, connectionsMax: 64, behaviour)
    } catch {
      worker.stop()
      throw error
    }
    (self.board, self.worker, steering) = (board, worker, run.steering)
    steering.beginWatching()
  }

  package var url: String { "http://\(service.address)/" }

  /// To be called now and then by the thread of the run: makes the reports that were asked for.
  package func serve(report: () -> RunSummary) {
    let waiting = board.takeQuestions()
    guard !waiting.isEmpty else { return }
    let summary = report()
    for question in waiting { question(summary) }
  }

  /// The run is over, and has come to this.
  package func end(_ summary: RunSummary) {
    for question in board.end(summary) { question(summary) }
  }

  package func stop() {
    steering.endWatching()
    service.stop()
    worker.stop()
  }
}

/// What the room shows beside what changes.
package struct WatchedRun: Sendable {
  package let steering: RunSteering
  package let scenario: String
  package let seed: UInt64
  /// Nil: the server inside.
  package let target: String?
  package let start: WallInstant
  package let origin: RoomOrigin
  /// The room stays open after the run.
  package let stays: Bool
  package let duration: Nanoseconds
  /// The server wants tokens.
  package let hasTokens: Bool
  /// What lies under the phones, as GeoJSON; nil where they move in no city.
  package let streets: [UInt8]?
  /// A summary as a page.
  package let page: @Sendable (RunSummary) -> String

  package init(
    _ steering: RunSteering, scenario: String, _ setup: RunSetup, origin: RoomOrigin, stays: Bool,
    page: @escaping @Sendable (RunSummary) -> String
  ) {
    self.steering = steering
    self.scenario = scenario
    seed = setup.seed
    target = setup.outside.map { URLParts($0.url).withoutUser }
    start = setup.start
    (self.origin, self.stays) = (origin, stays)
    duration = setup.duration
    hasTokens = setup.authorization != nil
    streets = setup.streets
    self.page = page
  }
}

/// Which program shows the room, on which machine, and since when by its clock.
package struct RoomOrigin: Sendable {
  /// The version of the program.
  package let product: String
  /// Without passwords and tokens.
  package let command: String
  package let host: String
  package let begun: WallInstant

  package init(product: String, command: String, host: String, begun: WallInstant) {
    (self.product, self.command, self.host, self.begun) = (product, command, host, begun)
  }
}

/// What the run's thread and that of the room say to each other beside the steering.
final class RoomBoard: Sendable {
  typealias Question = @Sendable (RunSummary) -> Void

  private struct State {
    var questions: [Question] = []
    var summary: RunSummary?
    var listeners = 0
  }

  private let state = Mutex(State())

  static let listenersMax = 16

  var summary: RunSummary? { state.withLock { $0.summary } }

  /// Asks the run what it has come to; when it is over, at once.
  func ask(_ question: @escaping Question) {
    let summary = state.withLock { state in
      if state.summary == nil { state.questions.append(question) }
      return state.summary
    }
    if let summary { question(summary) }
  }

  func takeQuestions() -> [Question] {
    state.withLock { state in
      defer { state.questions = [] }
      return state.questions
    }
  }

  func end(_ summary: RunSummary) -> [Question] {
    state.withLock { $0.summary = summary }
    return takeQuestions()
  }

  /// False when there is no room for one more.
  func enter() -> Bool {
    state.withLock { state in
      guard state.listeners < RoomBoard.listenersMax else { return false }
      state.listeners += 1
      return true
    }
  }

  func leave() { state.withLock { $0.listeners -= 1 } }
}
