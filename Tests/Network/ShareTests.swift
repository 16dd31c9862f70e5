import Network
import Support
import Testing

/// A session that says that it has worked enough for one turn.
@Suite struct ShareTests {
  @Test func whatIsLeftForTheNextTurnIsNotForgotten() throws {
    let server = try LineServer()
    let client = try server.connect()
    // More than one read brings, so that new input meets what was left of the old.
    let count = 20_000
    try client.send("share 1\n" + String(repeating: "echo x\n", count: count))
    #expect(try client.receiveText(2 * count) == String(repeating: "x\n", count: count))
    client.close()
    #expect(try server.recorder.nextClose() == .clientClosed)
  }

  @Test func theOthersHaveTheirTurnMeanwhile() throws {
    let server = try LineServer { $0.loops = 1 }
    let greedy = try server.connect()
    let modest = try server.connect()
    try greedy.send("share 1\nhold\n" + String(repeating: "echo x\n", count: 1_000) + "ask late\n")
    try server.recorder.nextHold()
    try modest.send("ask early\n")
    server.recorder.gate.open()
    let first = try server.recorder.nextQuestion()
    #expect(first.text == "early")
    server.answer(first, "done")
    let second = try server.recorder.nextQuestion()
    #expect(second.text == "late")
    server.answer(second, "done")
    #expect(try modest.receiveText(5) == "done\n")
    let answers = "released\n" + String(repeating: "x\n", count: 1_000) + "done\n"
    #expect(try greedy.receiveText(answers.utf8.count) == answers)
  }

  @Test func theEndOfTheInputComesBehindWhatIsLeft() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("share 1\n" + String(repeating: "echo x\n", count: 100))
    client.shutdownOutput()
    #expect(try client.receiveToEnd().text == String(repeating: "x\n", count: 100))
  }
}
