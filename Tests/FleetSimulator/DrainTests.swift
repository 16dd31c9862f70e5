import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Upload
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// A queue that does not empty is its phone's fault, unless nothing that a phone may do would have emptied it.
@Suite struct DrainTests {
  /// An upload that takes as long as it may is blocked by its configuration (HttpConfig `timeout`).
  @Test(arguments: [(60, []), (10, [Invariant.drain])] as [(Int64, [Invariant])])
  func anUploadThatHasNotTheTimeForAnAnswer(seconds: Int64, violated: [Invariant]) {
    let stage = Stage { $0.http.autoSync = false }
    let record = stage.insert()
    stage.tell(.healed)
    let request = stage.send([record], because: .manual)
    stage.pass(seconds: seconds)
    stage.tell(.ended(request: request, .failed(.timeout, message: "")))
    stage.pass(seconds: 100)
    #expect(stage.violated == violated)
  }

  /// Before the end of the faults it proves nothing.
  @Test func aTimeoutDuringTheFaultsExcusesNothing() {
    let stage = Stage { $0.http.autoSync = false }
    let record = stage.insert()
    stage.tell(.askedToSync)
    let request = stage.send([record], because: .manual)
    stage.pass(seconds: 60)
    stage.tell(.ended(request: request, .failed(.timeout, message: "")))
    stage.tell(.healed)
    stage.pass(seconds: 100)
    #expect(stage.violated == [.drain])
  }

  /// Tokens of the app's own configuration that have expired are not renewed by a server that has not issued them, and the records
  /// wait (SDK §11.6).
  @Test(arguments: [(60, 400, []), (60, 200, [Invariant.drain]), (-1, 400, [.drain])] as [(Double, Int, [Invariant])])
  func aServerThatDoesNotRenewTheTokens(expires: Double, status: Int, violated: [Invariant]) {
    let stage = Stage { ($0.authorization.accessToken, $0.authorization.expires) = ("old", expires) }
    stage.insert()
    stage.tell(.healed)
    let request = stage.send([], .refresh, because: .connectivity)
    stage.pass(seconds: 1)
    stage.end(request, status: status)
    stage.pass(seconds: 100)
    #expect(stage.violated.filter { $0 == .drain } == violated)
    #expect(stage.oracle.ledger.countUndeliverable()?.lastAnswers == (violated.isEmpty ? ["status 400": 1] : nil))
  }

  /// A token of the run's server is renewed.
  @Test func aServerRenewsItsOwnTokens() {
    let stage = Stage(tokenLifetime: .seconds(60)) { $0.authorization.expires = 60 }
    stage.insert()
    stage.tell(.healed)
    let request = stage.send([], .refresh, because: .connectivity)
    stage.end(request, status: 400)
    stage.pass(seconds: 100)
    #expect(stage.violated.contains(.drain))
  }

  /// A settle phase without any time proves nothing either.
  @Test(arguments: [(0, []), (100, [Invariant.drain])] as [(Int64, [Invariant])])
  func aPhaseWithoutAnyTime(seconds: Int64, violated: [Invariant]) {
    let stage = Stage { $0.http.autoSync = false }
    let record = stage.insert()
    stage.tell(.healed)
    stage.send([record], because: .manual)
    stage.pass(seconds: seconds)
    #expect(stage.violated.filter { $0 == .drain } == violated)
  }
}
