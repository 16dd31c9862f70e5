import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Upload

@testable import FleetSimulator

/// A phone has few requests under way; logs are as many as commands ask for (SDK §20.5).
@Suite struct ResourcesTests {
  @Test(arguments: [(6, []), (1, [Invariant.resources]), (0, [.resources])])
  func aLogIsUploadedForEachCommand(commands: Int, violated: [Invariant]) {
    let stage = Stage()
    for _ in 0..<commands { stage.tell(.told(.commanded(.uploadLog(url: "http://server.example/log")))) }
    let requests = (0..<6).map { _ in stage.send([], .log) }
    stage.pass(seconds: 1)
    for request in requests { stage.end(request, status: 200) }
    #expect(stage.violated.filter { $0 == .resources } == violated)
  }

  /// The next app has heard of no command of the last one.
  @Test func aCommandEndsWithItsApp() {
    let stage = Stage()
    for _ in 0..<5 { stage.tell(.told(.commanded(.uploadLog(url: "http://server.example/log")))) }
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    for _ in 0..<5 { stage.send([], .log) }
    #expect(stage.violated.contains(.resources))
  }

  @Test(arguments: [(4, []), (5, [Invariant.resources])])
  func fewOthersAreUnderWay(count: Int, violated: [Invariant]) {
    let stage = Stage()
    let requests = (0..<count).map { _ in stage.send([], .refresh) }
    stage.pass(seconds: 1)
    for request in requests { stage.end(request, status: 200) }
    #expect(stage.violated.filter { $0 == .resources } == violated)
  }
}
