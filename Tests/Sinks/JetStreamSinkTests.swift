import Base
import IngestServer
import JSON
import Store
import Support
import Testing

@testable import Sinks

@Suite struct PublishWindowTests {
  private func all(_ window: inout PublishWindow) -> [Int] {
    var places: [Int] = []
    while let place = window.next() { places.append(place) }
    return places
  }

  @Test(arguments: [
    ("stream.example:4222", "stream.example"), ("10.0.0.1:4222", "10.0.0.1"), ("[fd00::1]:4222", "fd00::1"),
  ])
  func aCertificateMustHaveTheNameOfTheHost(host: String, name: String) {
    #expect(NATSConnection.name(of: host) == name)
  }

  @Test func ofEachDeviceOneIsUnderWay() throws {
    var window = PublishWindow(try ForwardMessage.some(of: "aabacb")[...], without: [])
    #expect(all(&window) == [0, 2, 4])
    window.settle(2, nil)
    #expect(all(&window) == [5] && window.taken == 0)
    window.settle(0, nil)
    #expect(all(&window) == [1] && window.taken == 1)
    for place in [1, 4, 5] { window.settle(place, nil) }
    #expect(all(&window) == [3] && window.taken == 3)
    window.settle(3, nil)
    #expect(window.taken == 6 && !window.isWaiting)
  }

  @Test func behindOneThatFailedTheOthersOfItsDeviceStay() throws {
    let sent = try ForwardMessage.some(of: "abab")
    var window = PublishWindow(sent[...], without: [])
    #expect(all(&window) == [0, 1])
    window.settle(0, .later(reason: "full"))
    window.settle(1, nil)
    #expect(all(&window) == [3])
    window.settle(3, nil)
    #expect(!window.isWaiting && window.taken == 0 && window.trouble(at: 0) == .later(reason: "full"))
    #expect(window.acknowledged(behind: 0) == [1, 3])
    var again = PublishWindow(sent[...], without: Set([1, 3].map { sent[$0].id }))
    #expect(all(&again) == [0])
    again.settle(0, nil)
    #expect(all(&again) == [2], "what the stream has is not sent again")
    again.settle(2, nil)
    #expect(again.taken == 4)
  }

  @Test func aSecondAnswerCountsForNothing() throws {
    var window = PublishWindow(try ForwardMessage.some(of: "ab")[...], without: [])
    #expect(all(&window) == [0, 1])
    window.settle(0, nil)
    window.settle(0, .later(reason: "late"))
    #expect(window.isWaiting && window.taken == 1)
  }
}

/// Answers with numbers that were not asked for, before its own.
private final class StrangeConnection: StreamConnection {
  static let storesTogether = false
  let error = ""
  private var numbers: [Int64] = [.min, -1, 0, .max]

  func publish(_ message: ForwardMessage, number: Int64) -> StreamSending {
    numbers.append(number)
    return .done
  }

  func next(milliseconds: Int64) -> StreamArrival {
    numbers.isEmpty ? .nothing : .answer(number: numbers.removeFirst(), nil)
  }
}

@Suite struct StreamSinkTests {
  @Test func answersToNothingCountForNothing() throws {
    let sink = StreamSink { (_) throws(StreamFailure) in StrangeConnection() }
    let sent = try ForwardMessage.some(of: "aab")
    #expect(sink.send(sent[...]) == SinkAnswer(taken: 3))
  }
}

@Suite struct JetStreamAnswerTests {
  /// The examples of the reference of the JetStream API, and what is none of them.
  @Test func answersOfAStreamAreRead() {
    let trouble = { (text: String) in JetStream.trouble(in: Array(text.utf8)) }
    #expect(trouble(#"{"stream":"ORDERS","seq":12}"#) == nil)
    #expect(trouble(#"{"stream":"ORDERS","seq":12,"duplicate":true}"#) == nil)
    #expect(
      trouble(#"{"error":{"code":400,"err_code":10054,"description":"message size exceeds maximum allowed"}}"#)
        == .refused(count: 1, reason: "message size exceeds maximum allowed"))
    #expect(
      trouble(#"{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"seq":0}"#)
        == .later(reason: "maximum bytes exceeded"))
    for text in ["", "{}", "[1]", "+OK", #"{"stream":"ORDERS","seq":1"#] {
      #expect(trouble(text) == .later(reason: "the answer is not one of JetStream"))
    }
  }

  @Test(arguments: [
    ("phone-1", "phone-1"), ("", "-"), ("-", "%2D"), ("a.b", "a%2Eb"), ("*", "%2A"), (">", "%3E"),
    ("a b\n", "a%20b%0A"),
    ("50%", "50%25"), ("ü", "%C3%BC"), ("--", "--"),
  ])
  func anyTextBecomesOneTokenOfASubject(text: String, token: String) { #expect(ForwardMessage.token(text) == token) }
}

/// With a server of NATS as a child, where it is installed.
@Suite(.timeLimit(.minutes(10)), .enabled(if: StreamServer.isInstalled, "needs nats-server and libnats"))
struct JetStreamSinkTests {
  private func sink(
    _ server: StreamServer, prefix: String = "road", token: String? = nil
  ) throws -> StreamSink<NATSConnection> {
    var stream = JetStream(hosts: ["127.0.0.1:\(server.port)"], prefix: prefix)
    stream.token = token
    return try stream.sink()
  }

  @Test func recordsAreInTheStreamOnceAndInOrder() throws {
    let server = try StreamServer()
    let sink = try sink(server)
    let sent = try ForwardMessage.some(of: "abacabaab", run: "night.ly")
    #expect(sink.send(sent[...]) == SinkAnswer(taken: 9))
    #expect(sink.send(sent[2..<5]) == SinkAnswer(taken: 3), "a repetition is acknowledged too")
    #expect(try server.lastSequence() == 9, "and stored once")
    for number in [0, 2, 4, 6, 7] {
      let stored = try server.message(sent[number].id)
      #expect(stored.contains("Nats-Msg-Id: night%2Ely/") && stored.contains(#""odometer":\#(number)}"#))
    }
    #expect(try server.numbers(of: "road.night%2Ely.a") == [0, 2, 4, 6, 7])
    #expect(try server.numbers(of: "road.night%2Ely.b") == [1, 5, 8])
  }

  @Test func whatTheStreamDoesNotTakeIsNamed() throws {
    let server = try StreamServer(maxMessage: 400)
    let sink = try sink(server)
    let sent = try ForwardMessage.some(of: "aba", firstPadding: 500)
    #expect(
      sink.send(sent[...])
        == SinkAnswer(taken: 0, .refused(count: 1, reason: "message size exceeds maximum allowed")))
    #expect(try server.numbers(of: "road.-.a") == [], "nothing of the device goes before it")
    #expect(sink.send(sent[1...]) == SinkAnswer(taken: 2))
    #expect(try server.lastSequence() == 2)
  }

  @Test func withoutAStreamOrAServerItIsTriedAgain() throws {
    let server = try StreamServer()
    let lost = try sink(server, prefix: "elsewhere")
    let sent = try ForwardMessage.some(of: "a")
    #expect(
      lost.send(sent[...]) == SinkAnswer(taken: 0, .later(reason: "no stream has the subjects elsewhere.>")))
    let sink = try sink(server)
    #expect(sink.send(sent[...]) == SinkAnswer(taken: 1))
    server.kill()
    let answer = sink.send(sent[...])
    guard case .later = answer.trouble else {
      Issue.record("\(answer)")
      return
    }
    #expect(answer.taken == 0)
  }

  @Test func aWrongTokenIsNamed() throws {
    let server = try StreamServer(token: "right")
    let wrong = try sink(server, token: "wrong").send(try ForwardMessage.some(of: "a")[...])
    guard case .later(nil, let reason) = wrong.trouble else {
      Issue.record("\(wrong)")
      return
    }
    #expect(reason.contains("Authorization"))
    #expect(try sink(server, token: "right").send(try ForwardMessage.some(of: "a")[...]) == SinkAnswer(taken: 1))
  }
}
