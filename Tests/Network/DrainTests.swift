import Base
import Glibc
import Network
import Support
import Testing

/// The end of a server.
@Suite struct DrainTests {
  @Test func aDrainFinishesWhatIsOwedAndClosesWhatIsIdle() throws {
    let server = try LineServer()
    let asking = try server.connect()
    try asking.send("ask a\n")
    let question = try server.recorder.nextQuestion()
    let idle = try server.connect()
    try idle.send("echo b\n")
    #expect(try idle.receiveText(2) == "b\n")
    server.group.drain(within: .seconds(60))
    #expect(try idle.receiveToEnd().ending == .closed)
    let failure = #expect(throws: LoopbackClient.Failure.self) { try server.connect() }
    #expect(failure?.code == ECONNREFUSED)
    server.answer(question, "A")
    let (text, ending) = try asking.receiveToEnd()
    #expect(text == "A\n")
    #expect(ending == .closed)
    server.group.wait()
    #expect(server.total.closed(.drained) == 2)
    #expect(server.total.open == 0)
  }

  @Test func aRequestThatIsOnItsWayIsFinished() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("body 10\nabc")
    let idle = try server.connect()
    try idle.send("echo b\n")
    #expect(try idle.receiveText(2) == "b\n")
    server.group.drain(within: .seconds(60))
    #expect(try idle.receiveToEnd().ending == .closed)
    try client.send("defghij")
    #expect(try client.receiveToEnd().text == "took 10\n")
    server.group.wait()
  }

  @Test func whoStoodInTheBacklogOrHadSentAlreadyIsAnswered() throws {
    let server = try LineServer()
    let known = try server.connect()
    try known.send("echo k\n")
    #expect(try known.receiveText(2) == "k\n")
    let holder = try server.connect()
    try holder.send("hold\n")
    try server.recorder.nextHold()
    // The loop stands still: these reach the kernel before the drain, and the loop after it.
    try known.send("echo known\n")
    let new = try server.connect()
    try new.send("echo new\n")
    server.group.drain(within: .seconds(60))
    server.recorder.gate.open()
    #expect(try known.receiveToEnd().text == "known\n")
    let (text, ending) = try new.receiveToEnd()
    #expect(text == "new\n")
    #expect(ending == .closed)
    #expect(try holder.receiveToEnd().text == "released\n")
    server.group.wait()
  }

  @Test func aDrainHasAnEnd() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("ask a\n")
    let question = try server.recorder.nextQuestion()
    server.group.drain(within: .milliseconds(20))
    server.group.wait()
    #expect(try server.recorder.nextClose() == .stopped)
    #expect(try client.receiveToEnd().text == "")
    server.answer(question, "too late")
    #expect(server.total.open == 0)
  }

  @Test func aStopIsAtOnceAlsoDuringADrain() throws {
    let server = try LineServer { $0.loops = 2 }
    let clients = try (0..<20).map { _ in try server.connect() }
    for client in clients { try client.send("ask a\n") }
    for _ in clients { _ = try server.recorder.nextQuestion() }
    server.group.drain(within: .seconds(60))
    server.group.stop()
    server.group.wait()
    #expect(server.total.closed(.stopped) == 20)
    for client in clients { #expect(try client.receiveToEnd().text == "") }
  }

  @Test func aGroupThatIsLetGoStops() throws {
    let recorder: Recorder
    let client: LoopbackClient
    do {
      let server = try LineServer()
      recorder = server.recorder
      client = try server.connect()
      try client.send("echo a\n")
      #expect(try client.receiveText(2) == "a\n")
    }
    #expect(try recorder.nextClose() == .stopped)
  }
}
