import Base
import Contract
import IngestServer
import Network
import Scenario
import Store
import Vocabulary

/// The server of a run in virtual time.
extension InProcessServer {
  /// Configures the server for the devices of a run. `store` is one in memory, or behaves like one.
  convenience init(store: any Store, for setup: RunSetup) {
    self.init(store: store) { configuration in
      configuration.journalShare = 0
      configuration.otherTemplates = TemplateSchema.list(of: setup.fleets.map(\.configuration))
      configuration.otherRoots = Set(setup.fleets.map(\.configuration.http.rootProperty)).sorted()
      guard let authorization = setup.authorization else { return }
      configuration.authentication = .required
      configuration.accessSeconds = Int(max(1, authorization.accessTokenLifetime.seconds))
      configuration.identity = authorization.identity.map { IdentitySettings($0) }
      if authorization.refreshRotation == .reusable { configuration.rotatesRefreshTokens = false }
    }
  }

  /// Executes an administrative request.
  func perform(_ request: Administration, at now: Moment) {
    let connection = connect()
    let head = "POST \(request.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(request.body.utf8.count)\r\n\r\n"
    var answer = connection.receive(Array((head + request.body).utf8)[...], at: now)
    // An answer that is delayed for a moment need not wait where time stands still.
    if answer.isEmpty { answer = connection.resume(at: now) }
    connection.close(.clientClosed, at: now)
    // 429: the server's limit of pending commands is reached, and these were discarded.
    let isDone = ["HTTP/1.1 2", "HTTP/1.1 429"].contains { answer.starts(with: $0.utf8) }
    precondition(isDone, "the server refuses \(request.path): \(String(decoding: answer, as: UTF8.self))")
  }
}

extension InProcessConnection {
  func receive(_ bytes: ArraySlice<UInt8>, at now: Moment, applying fault: ServerFault? = nil) -> [UInt8] {
    receive(bytes, at: now.monotonic, wall: now.wall, applying: fault)
  }

  func resume(at now: Moment) -> [UInt8] { resume(at: now.monotonic, wall: now.wall) }

  func close(_ reason: CloseReason, at now: Moment) { close(reason, at: now.monotonic, wall: now.wall) }
}
