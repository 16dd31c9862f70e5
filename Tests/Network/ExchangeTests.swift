import Network
import Support
import Testing

/// Bytes in, bytes out, in order, however they are cut.
@Suite struct ExchangeTests {
  @Test(arguments: [Cuts.whole, Cuts.singleBytes])
  func theAnswersAreTheSameHoweverTheInputIsCut(cut: @Sendable (Int) -> [Int]) throws {
    let server = try LineServer()
    let client = try server.connect()
    let input = Array("echo one\nbody 5\nabcdeecho two\n".utf8)
    var start = 0
    for count in cut(input.count) {
      try client.send(Array(input[start..<start + count]))
      start += count
    }
    #expect(try client.receiveText(15) == "one\ntook 5\ntwo\n")
    #expect(server.end().bytesIn == UInt64(input.count))
  }

  @Test func randomCutsChangeNothing() throws {
    let server = try LineServer()
    let input = Array("echo first\nbody 12\nabcdefghijklecho last\n".utf8)
    for seed in 0..<30 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let client = try server.connect()
      var start = 0
      for count in Cuts.random(input.count, using: &generator) {
        try client.send(Array(input[start..<start + count]))
        start += count
      }
      #expect(try client.receiveText(19) == "first\ntook 12\nlast\n", "seed \(seed)")
    }
  }

  @Test func pipelinedAnswersComeInOrderAndOneAtATime() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("ask a\nask b\necho c\nask d\n")
    for text in ["a", "b"] {
      let question = try server.recorder.nextQuestion()
      #expect(question.text == text)
      server.answer(question, text + "!")
    }
    let question = try server.recorder.nextQuestion()
    #expect(question.text == "d")
    #expect(try client.receiveText(8) == "a!\nb!\nc\n")
    server.answer(question, "d!")
    #expect(try client.receiveText(3) == "d!\n")
  }

  @Test func manySmallPipelinedRequestsAreAllAnswered() throws {
    let server = try LineServer()
    let client = try server.connect()
    let count = 20_000
    try client.send(String(repeating: "echo x\n", count: count))
    #expect(try client.receiveText(2 * count) == String(repeating: "x\n", count: count))
  }

  @Test func aHalfClosedClientStillGetsItsAnswers() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("ask a\necho b\nask c\n")
    client.shutdownOutput()
    server.answer(try server.recorder.nextQuestion(), "A")
    server.answer(try server.recorder.nextQuestion(), "C")
    let (text, ending) = try client.receiveToEnd()
    #expect(text == "A\nb\nC\n")
    #expect(ending == .closed)
    #expect(try server.recorder.nextAfterOpening() == .inputEnded)
    #expect(try server.recorder.nextClose() == .clientClosed)
  }

  @Test func aLargeAnswerIsProducedAsTheClientReads() throws {
    let server = try LineServer()
    let client = try server.connect()
    let count = 20_000_000
    try client.send("flood \(count)\necho done\n")
    let bytes = try client.receive(count + 5)
    // As texts: without the optimizer arrays are compared element by element.
    let isWhole = String(decoding: bytes[..<count], as: UTF8.self) == String(repeating: "f", count: count)
    #expect(isWhole)
    #expect(String(decoding: bytes[count...], as: UTF8.self) == "done\n")
  }

  @Test func aSessionWhoseTurnIsOverGoesOnInTheNext() throws {
    let server = try LineServer {
      $0.outputPerTurn = 1
      $0.unsentMax = 1_000
    }
    let client = try server.connect()
    try client.send("write 5000\necho a\nflood 200000\nwrite 5000\necho b\nask c\n")
    client.shutdownOutput()
    #expect(try client.receive(210_004).count == 210_004)
    server.answer(try server.recorder.nextQuestion(), "c")
    #expect(try client.receiveToEnd().text == "c\n")
    #expect(try server.recorder.nextClose() == .clientClosed)
  }

  @Test func anAlarmRings() throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("alarm 1\n")
    #expect(try client.receiveText(5) == "rang\n")
  }

  @Test func lettersFromManyThreadsArriveInTheOrderOfEach() async throws {
    let server = try LineServer()
    let client = try server.connect()
    try client.send("ask stream\n")
    let question = try server.recorder.nextQuestion()
    let mailbox = server.group.mailboxes[question.loop]
    await withTaskGroup(of: Void.self) { tasks in
      for writer in 0..<4 {
        tasks.addTask {
          for number in 0..<500 {
            mailbox.post(.live("\(writer) \(number)\n", unsentMax: .max), to: question.token)
          }
        }
      }
    }
    mailbox.post(.answer("end"), to: question.token)
    var next = [0, 0, 0, 0]
    let length = (0..<500).reduce(0) { $0 + 4 * (3 + String($1).utf8.count) }
    for line in try client.receiveText(length + 4).split(separator: "\n").dropLast() {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      try #require(numbers.count == 2)
      #expect(numbers[1] == next[numbers[0]])
      next[numbers[0]] += 1
    }
    #expect(next == [500, 500, 500, 500])
  }
}
