import Base
import Network
import Support
import Testing

/// Clients that are slow, silent or do not read: they cost a bounded buffer and are closed in their time.
@Suite struct SlowClientTests {
  @Test func aSilentClientIsClosed() throws {
    let server = try LineServer { $0.times.idle = .milliseconds(20) }
    let client = try server.connect()
    #expect(try client.receiveToEnd().text == "")
    #expect(try server.recorder.nextAfterOpening() == .timedOut(.idle))
    #expect(try server.recorder.nextClose() == .idleTimeout)
  }

  @Test func anAnswerGivesANewIdleTime() throws {
    // Each answer takes 60 ms, so the three together are longer than the idle time; only the silence after them counts.
    let server = try LineServer { $0.times.idle = .milliseconds(150) }
    let client = try server.connect()
    for _ in 0..<3 {
      try client.send("alarm 60\n")
      #expect(try client.receiveText(5) == "rang\n")
    }
    #expect(try client.receiveToEnd().ending == .closed)
    #expect(try server.recorder.nextClose() == .idleTimeout)
  }

  @Test func aSlowHeadIsAnsweredAndClosed() throws {
    let server = try LineServer { $0.times.head = .milliseconds(20) }
    let client = try server.connect()
    try client.send("ech")
    #expect(try client.receiveToEnd().text == "too slow\n")
    client.close()
    #expect(try server.recorder.nextAfterOpening() == .timedOut(.head))
    #expect(try server.recorder.nextClose() == .headTimeout)
  }

  @Test func aHeadThatDripsIsNoLongerOneThanASilentOne() throws {
    let server = try LineServer {
      $0.times.head = .milliseconds(50)
      $0.times.linger = .milliseconds(10)
    }
    let client = try server.connect()
    // The other connection's alarm paces the drops: each byte comes well inside the limit, all of them do not.
    let clock = try server.connect()
    let failure = #expect(throws: LoopbackClient.Failure.self) {
      for _ in 0..<100 {
        try client.send("x")
        try clock.send("alarm 10\n")
        #expect(try clock.receiveText(5) == "rang\n")
      }
    }
    #expect(failure?.call == "send")
    #expect(try server.recorder.nextAfterOpening() == .timedOut(.head))
  }

  @Test func aSlowBodyIsAnsweredAndClosed() throws {
    let server = try LineServer {
      $0.times.body = .milliseconds(20)
      $0.times.bodyGrace = .seconds(60)
    }
    let client = try server.connect()
    try client.send("body 100\nabc")
    #expect(try client.receiveToEnd().text == "too slow\n")
    client.close()
    #expect(try server.recorder.nextAfterOpening() == .timedOut(.body))
    #expect(try server.recorder.nextClose() == .bodyTimeout)
  }

  @Test func aBodyBelowTheRateIsClosed() throws {
    let server = try LineServer { $0.times.bodyGrace = .milliseconds(20) }
    let client = try server.connect()
    try client.send("body 100\nabc")
    #expect(try client.receiveToEnd().text == "too slow\n")
    client.close()
    #expect(try server.recorder.nextAfterOpening() == .timedOut(.bodyRate))
    #expect(try server.recorder.nextClose() == .bodyTooSlow)
  }

  @Test func shorterLimitsFireFirstWhateverTheOrderOfTheClients() throws {
    let server = try LineServer {
      $0.times.idle = .milliseconds(300)
      $0.times.head = .milliseconds(150)
      $0.times.bodyGrace = .milliseconds(20)
    }
    let silent = try server.connect()
    let head = try server.connect()
    try head.send("ech")
    let body = try server.connect()
    try body.send("body 100\n")
    var seen: [TimeLimit] = []
    while seen.count < 3 {
      if case .timedOut(let limit) = try server.recorder.next() { seen.append(limit) }
    }
    #expect(seen == [.bodyRate, .head, .idle])
    for client in [silent, head, body] { client.close() }
  }

  @Test func aClientThatDoesNotReadIsClosedAndCostsABoundedBuffer() throws {
    let server = try LineServer { $0.times.write = .milliseconds(100) }
    let client = try server.connect(receiveBuffer: 4_096)
    try client.send("flood 1000000000\n")
    #expect(try server.recorder.nextClose() == .writeTimeout)
    #expect(try client.receiveToEnd().ending == .reset)
    // What was sent is what the kernel's two buffers took; the session was not asked for much more.
    #expect(server.end().bytesOut < 20_000_000)
  }

  @Test func aClientThatPipelinesWithoutReadingIsNotRead() throws {
    let server = try LineServer {
      $0.times.write = .seconds(60)
      $0.unsentMax = 10_000
    }
    let client = try server.connect(receiveBuffer: 4_096)
    let request = Array(String(repeating: "write 5000\n", count: 100).utf8)
    let sent = try client.sendUntilFull(request, atMost: 100_000_000)
    #expect(sent < 100_000_000)
    // Another client is served meanwhile.
    let other = try server.connect()
    try other.send("echo a\n")
    #expect(try other.receiveText(2) == "a\n")
    #expect(server.total.bytesIn < UInt64(sent))
    client.reset()
    #expect(try server.recorder.nextClose() == .reset)
  }

  @Test func aLiveStreamSeesHowFarItsClientIsBehind() throws {
    let server = try LineServer { $0.times.write = .milliseconds(300) }
    let client = try server.connect(receiveBuffer: 4_096)
    try client.send("ask stream\n")
    let question = try server.recorder.nextQuestion()
    let line = String(repeating: "l", count: 9_999) + "\n"
    let mailbox = server.group.mailboxes[question.loop]
    for _ in 0..<2_000 { mailbox.post(.live(line, unsentMax: 50_000), to: question.token) }
    #expect(try server.recorder.nextClose() == .writeTimeout)
    #expect(server.end().bytesOut < 19_000_000)
  }
}
