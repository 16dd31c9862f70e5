import Support
import Synchronization
import Testing

/// kill -9 of the server while a webhook comes and goes: what was acknowledged to devices arrives, in order.
@Suite(.timeLimit(.minutes(10))) struct ForwardKillTests {
  @Test func whatWasAcknowledgedArrivesThoughBothSidesDie() throws {
    let folder = try TemporaryFolder()
    let receiver = Receiver()
    // A third of the requests is taken and never answered, as by a receiver that was killed.
    let hook = try receiver.serve { number, _ in
      number % 3 == 1 ? .reset([]) : number % 7 == 3 ? .text("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") : nil
    }
    let start = { () throws(ChildProcess.Failure) in
      try ServerProcess(
        program: BuiltProgram.path(of: "rollingroad"), folder: folder.file("data"),
        flags: ["--forward", "hook=\(hook.url)", "--forward-batch", "40", "--loops", "1"])
    }
    var server = try start()
    for life in 0..<5 {
      let uploader = try Uploader(port: server.port)
      for part in 0..<10 {
        let from = (life * 10 + part) * 20
        for device in 1...3 { try uploader.upload(from..<from + 20, of: device) }
      }
      // Killed in the middle of sending: some of this life has arrived, and as a rule not all.
      #expect(receiver.wait(for: life * 600 + 60))
      server.killAtOnce()
      server = try start()
    }
    #expect(receiver.wait(for: 3_000))
    #expect(server.stop() == 0)
    for device in 1...3 { #expect(receiver.numbers(of: "device-\(device)") == Array(0..<1_000)) }
    // An id belongs to one record.
    let byID = Dictionary(grouping: receiver.taken, by: \.id)
    #expect(byID.count == 3_000 && byID.values.allSatisfy { Set($0.map(\.number)).count == 1 })
  }
}
