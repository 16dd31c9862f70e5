import Base
import Glibc
import Support
import Testing
import Threads

@testable import Network

/// What only a whole process can show; each in a process of its own, so that nothing else runs beside it.
@Suite struct ProcessTests {
  @Test func acceptingBacksOffWithoutDescriptorsAndRecovers() async {
    await #expect(processExitsWith: .success) {
      let server = try LineServer { $0.acceptPause = .milliseconds(50) }
      let known = try server.connect()
      try known.send("echo a\n")
      #expect(try known.receiveText(2) == "a\n")
      // Every descriptor but one is taken; the new client's own socket takes that one.
      var taken = try ProcessState.takeAllDescriptors()
      close(taken.removeLast())
      let new = try server.connect()
      try new.send("echo b\n")
      // Those who are connected are served meanwhile, and the loop does not spin.
      try known.send("alarm 175\n")
      #expect(try known.receiveText(5) == "rang\n")
      #expect((2...5).contains(server.total.acceptPauses))
      #expect(server.total.accepted == 1)
      for descriptor in taken { close(descriptor) }
      #expect(try new.receiveText(2) == "b\n")
    }
  }

  @Test func threeThousandIdleConnectionsCostLessThanTwoKilobytesEach() async {
    await #expect(processExitsWith: .success) {
      let server = try LineServer()
      func connected(_ count: Int) throws -> [LoopbackClient] {
        try (0..<count).map { _ in
          let client = try server.connect()
          try client.send("echo a\n")
          #expect(try client.receiveText(2) == "a\n")
          _ = try server.recorder.next()
          return client
        }
      }
      // The first hundred pay for buffers and code that are paid once.
      let first = try connected(100)
      let before = try ProcessState.residentBytes()
      let clients = try connected(3_000)
      let grown = try ProcessState.residentBytes() - before
      #expect(server.total.open == 3_100)
      #expect(grown < 3_000 * 2_048, "\(grown / 3_000) bytes each, with the client's own share")
      for client in first + clients { client.close() }
    }
  }

  @Test func everyDescriptorIsGivenBack() async {
    await #expect(processExitsWith: .success) {
      func useServer() throws {
        let server = try LineServer { $0.loops = 2 }
        for line in [
          "echo a\n", "close\n", "cut\n", "reset\n", "mute\nabc", "ask a\n", "body 9\nabc", "flood 9999999\n",
        ] {
          for _ in 0..<10 {
            let client = try server.connect()
            try client.send(line)
          }
        }
        let open = try server.connect()
        try open.send("echo a\n")
        #expect(try open.receiveText(2) == "a\n")
        _ = server.end()
      }
      try useServer()
      let before = try ProcessState.openDescriptors()
      for _ in 0..<3 { try useServer() }
      #expect(try ProcessState.openDescriptors() == before)
    }
  }

  @Test func theFirstSignalDrains() async {
    await #expect(processExitsWith: .success) {
      let signals = try SignalWatcher([SIGTERM, SIGINT])
      let server = try LineServer()
      let client = try server.connect()
      try client.send("ask a\n")
      let question = try server.recorder.nextQuestion()
      let idle = try server.connect()
      let recorder = server.recorder
      let mailbox = server.group.mailboxes[0]
      ProcessState.raiseHere(SIGTERM)
      let thread = try NamedThread(name: "client") {
        // The idle connection is closed by the drain, and only then does the answer come.
        do { #expect(try recorder.nextClose() == .drained) } catch { Issue.record(error) }
        mailbox.post(.answer("A"), to: question.token)
      }
      #expect(server.group.run(until: signals, drainWithin: .seconds(60)) == .drained)
      thread.join()
      #expect(try client.receiveToEnd().text == "A\n")
      #expect(try idle.receiveToEnd().text == "")
    }
  }

  @Test func theSecondSignalStops() async {
    await #expect(processExitsWith: .success) {
      let signals = try SignalWatcher([SIGTERM, SIGINT])
      let server = try LineServer()
      let client = try server.connect()
      try client.send("ask a\n")
      _ = try server.recorder.nextQuestion()
      ProcessState.raiseHere(SIGTERM)
      ProcessState.raiseHere(SIGINT)
      #expect(server.group.run(until: signals, drainWithin: .seconds(60)) == .stopped)
      #expect(try client.receiveToEnd().text == "")
    }
  }

  @Test func aDescriptorThatIsNotOursStopsTheProcess() async {
    await #expect(processExitsWith: .signal(SIGILL)) {
      let descriptor = try Syscalls.eventCounter()
      close(descriptor.number)
      Syscalls.signal(descriptor)
    }
  }
}
