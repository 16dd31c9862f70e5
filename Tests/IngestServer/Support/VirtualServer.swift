import Base
import HTTP1
import Network
import Store

@testable import IngestServer

/// A server in virtual time with any number of connections. Every step happens when `settle` or `advance` says so, in a
/// fixed order, so that a test can say what came before what.
final class VirtualServer {
  let sqlite: SQLiteStore
  let inner: InProcessServer
  private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  private(set) var clients: [VirtualClient] = []
  /// Jobs stay undone while it is false.
  var commits = true
  /// Questions wait for their answers while it is false.
  var answersQuestions = true

  init(retainDays: Int? = nil, _ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    sqlite = try SQLiteStore(StoreConfiguration(folder: ":memory:", retainDays: retainDays))
    inner = InProcessServer(store: sqlite, configure)
    inner.now = WallInstant(millisecondsSince1970: 1_785_263_663_000)
  }

  var hub: EventHub { inner.context.hub }
  var store: any Store { inner.store }

  /// `reads` false makes a client that takes nothing of what it is sent.
  func connect(reads: Bool = true) -> VirtualClient {
    let client = VirtualClient(self, inner.makeSession(isLocal: true), reads: reads)
    clients.append(client)
    return client
  }

  /// Until nothing moves any more.
  func settle() {
    var isMoving = true
    while isMoving {
      isMoving = false
      for client in clients where client.move() { isMoving = true }
      if commits, commit() { isMoving = true }
      if answersQuestions, inner.answerQuestions() { isMoving = true }
      if deliver() { isMoving = true }
    }
  }

  /// Moves time, and rings every alarm on the way when it is due.
  func advance(milliseconds: Int64) {
    let end = now + .milliseconds(milliseconds)
    settle()
    while let next = clients.compactMap(\.alarm).min(), next <= end {
      move(to: max(next, now))
      for client in clients where client.alarm.map({ $0 <= now }) ?? false { client.ring() }
      settle()
    }
    move(to: end)
  }

  private func move(to instant: MonotonicInstant) {
    let passed = (instant - now).wholeMilliseconds
    inner.now = inner.now.advanced(byMilliseconds: passed)
    now = instant
  }

  /// All jobs that wait, in one group.
  @discardableResult
  func commit() -> Bool { inner.commit() }

  private func deliver() -> Bool {
    var hasDelivered = false
    for client in clients {
      for message in inner.takeMessages(for: client.address) {
        client.deliver(message)
        hasDelivered = true
      }
    }
    return hasDelivered
  }

  /// Records that are stored under a run.
  func stored(run: String = "") throws -> Int {
    guard let reader = sqlite.reader else { preconditionFailure("a store in memory is always open") }
    return try reader.devices(run: run, limit: 1_000).elements.reduce(0) { $0 + Int($1.points) }
  }

  /// The page of the metrics has this line.
  func shows(metric line: String) -> Bool {
    var page: [UInt8] = []
    inner.context.health.registry.render(into: &page)
    return String(decoding: page, as: UTF8.self).split(separator: "\n").contains { $0 == line }
  }
}
