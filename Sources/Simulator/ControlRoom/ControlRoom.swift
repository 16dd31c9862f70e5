package import Base
package import FleetSimulator
import HTTP1
import HTTPService
package import Network
import Synchronization

/// The HTTP server through which a running run is watched and steered, with the API openapi/control-room.json. The run's
/// thread provides reports; everything else comes from the run's steering.
package final class ControlRoom: Sendable {
  private let service: HTTPService
  private let board: RoomBoard
  private let worker: RoomWorker
  private let steering: RunSteering

  /// Listens at an address such as `127.0.0.1:5665`; with port 0 the kernel chooses one. `token` is required from
  /// clients unless it is nil.
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

  /// Must be called regularly by the thread of the run; makes the requested reports.
  package func serve(report: () -> RunSummary) {
    let waiting = board.takeQuestions()
    guard !waiting.isEmpty else { return }
    let summary = report()
    for question in waiting { question(summary) }
  }

  /// Notes the end of the run, with its summary.
  package func end(_ summary: RunSummary) {
    for question in board.end(summary) { question(summary) }
  }

  package func stop() {
    steering.endWatching()
    service.stop()
    worker.stop()
  }
}

/// The constant properties of a run for the control room.
package struct WatchedRun: Sendable {
  package let steering: RunSteering
  package let scenario: String
  package let seed: UInt64
  /// Nil: the in-process server.
  package let target: String?
  package let start: WallInstant
  package let origin: RoomOrigin
  /// Whether the control room stays open after the run.
  package let stays: Bool
  package let duration: Nanoseconds
  /// Whether the server requires tokens.
  package let hasTokens: Bool
  /// The streets as GeoJSON; nil where no phone moves in a city.
  package let streets: [UInt8]?
  /// Renders a summary as a page.
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

/// The program and the machine of the control room, and its start by the machine's clock.
package struct RoomOrigin: Sendable {
  /// The version of the program.
  package let product: String
  /// The command line without passwords and tokens.
  package let command: String
  package let host: String
  package let begun: WallInstant

  package init(product: String, command: String, host: String, begun: WallInstant) {
    (self.product, self.command, self.host, self.begun) = (product, command, host, begun)
  }
}

/// The exchange between the run's thread and the control room's, beside the steering.
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

  /// Requests a report from the run; answered at once when the run is over.
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

  /// Returns false when the limit is reached.
  func enter() -> Bool {
    state.withLock { state in
      guard state.listeners < RoomBoard.listenersMax else { return false }
      state.listeners += 1
      return true
    }
  }

  func leave() { state.withLock { $0.listeners -= 1 } }
}
