import Base
import Network
import Support
import Synchronization
import Testing

/// How connections end, from either side.
@Suite struct EndingTests {
  @Test func aClientThatClosesBetweenRequestsIsNoError() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("echo a\n")
    #expect(try client.receiveText(2) == "a\n")
    client.close()
    #expect(try server.recorder.nextClose() == .clientClosed)
  }

  @Test(arguments: ["ech", "body 100\nabc"])
  func aClientThatClosesInsideARequestIsGone(input: String) throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send(input)
    client.close()
    #expect(try server.recorder.nextClose() == .clientGone)
  }

  @Test(arguments: ["body 100\nabc", "ask a\n", "mute\nabc"])
  func aResetIsNoticedInEveryPhase(input: String) throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send(input)
    // The answer to another connection shows that the loop has seen the input of this one.
    let other = try server.connect()
    try other.send("echo a\n")
    #expect(try other.receiveText(2) == "a\n")
    client.reset()
    #expect(try server.recorder.nextClose() == .reset)
  }

  @Test func aClientThatIsGoneWhenItsAnswerComesIsClosed() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("ask a\n")
    let question = try server.recorder.nextQuestion()
    client.close()
    server.answer(question, "late")
    let reason = try server.recorder.nextClose()
    // The close is first seen as an end of input, or the answer meets the RST.
    #expect(reason == .clientClosed || reason == .reset)
  }

  @Test func theLastAnswerSurvivesInputThatIsNotRead() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("close\n")
    #expect(try client.receiveText(4) == "bye\n")
    // Without lingering this would be answered by an RST.
    for _ in 0..<20 { try client.send([UInt8](repeating: 120, count: 50_000)) }
    client.shutdownOutput()
    let (text, ending) = try client.receiveToEnd()
    #expect(text == "")
    #expect(ending == .closed)
    #expect(try server.recorder.nextClose() == .finished)
    #expect(server.end().bytesIn == 1_000_006)
  }

  @Test func lingeringIsBoundedInBytes() throws {
    let server = try LineServer { $0.lingerBytes = 100_000 }
    let client = try server.connect()
    try client.send("close\n")
    #expect(try client.receiveText(4) == "bye\n")
    try client.send([UInt8](repeating: 120, count: 150_000))
    #expect(try server.recorder.nextClose() == .lingerTimeout)
  }

  @Test func lingeringIsBoundedInTime() throws {
    let server = try LineServer { $0.times.linger = .milliseconds(20) }
    let client = try server.connect()
    try client.send("close\n")
    let (text, ending) = try client.receiveToEnd()
    #expect(text == "bye\n")
    #expect(ending == .closed)
    #expect(try server.recorder.nextClose() == .lingerTimeout)
  }

  @Test func aSessionCanCutAndReset() throws {
    let server = try LineServer()
    let cut = try server.connect()
    try cut.send("cut\n")
    #expect(try cut.receiveToEnd().ending == .closed)
    #expect(try server.recorder.nextClose() == .aborted)
    let reset = try server.connect()
    try reset.send("reset\n")
    #expect(try reset.receiveToEnd().ending == .reset)
    #expect(try server.recorder.nextClose() == .aborted)
  }

  @Test func aLetterToAConnectionThatIsGoneIsDroppedEvenWhenItsPlaceIsTaken() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("ask a\n")
    let question = try server.recorder.nextQuestion()
    client.reset()
    #expect(try server.recorder.nextClose() == .reset)
    let next = try server.connect()
    try next.send("ask b\n")
    let second = try server.recorder.nextQuestion()
    #expect(second.token != question.token)
    server.answer(question, "for the first")
    server.answer(second, "for the second")
    #expect(try next.receiveText(15) == "for the second\n")
    _ = server.end()
    #expect(server.recorder.missed.withLock { $0 } == [question.token])
  }

  @Test func aSessionThatLeavesItsInputForEverIsClosed() throws {
    let server = try LineServer { $0.inputMax = 4_096 }
    let client = try server.connect()
    try client.send("deaf\n")
    try client.send([UInt8](repeating: 120, count: 4_097))
    #expect(try server.recorder.nextClose() == .inputOverflow)
  }
}
