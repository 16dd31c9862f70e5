import BackendStore
import Base
import IngestServer
import JSON
import Scenario
import Store
import Support
import Testing

@testable import Sinks

/// What has arrived in a stream is read back: from a real server of NATS, and from the cluster that librdkafka brings.
@Suite(.timeLimit(.minutes(10))) struct StreamReadingTests {
  private static func bodies(_ url: String) throws -> [String] {
    var bodies: [String] = []
    try StreamURL(url).read { bodies.append(String(decoding: $0, as: UTF8.self)) }
    return bodies
  }

  private static func failure(_ url: String) throws -> String {
    try #require(throws: StreamFailure.self) { try bodies(url) }.message
  }

  private static func view(_ url: String) throws -> any StoreView {
    var place = StorePlace()
    place.stream = url
    return try #require(place.view(fields: []))
  }

  private static func record(_ device: String, _ number: Int, run: String = "", id: String? = nil) -> String {
    let uuid = "00000000-0000-4000-8000-\(String(repeating: "0", count: 11))\(number)"
    let name = id ?? (run.isEmpty ? uuid : "\(run)/\(uuid)")
    return
      #"{"id":"\#(name)","device":"\#(device)","run":"\#(run)","received":"2026-07-28T18:34:23.101Z","record":{"uuid":"\#(uuid.uppercased())","odometer":\#(number)}}"#
  }

  private static let needsNATS = Comment("needs nats-server and libnats")

  /// More messages than questions are under way, one that was deleted, and others of the same stream.
  @Test(.enabled(if: StreamServer.isInstalled, needsNATS)) func aStreamIsReadToItsEnd() throws {
    let server = try StreamServer()
    let sent = try ForwardMessage.some(of: (0..<300).map { "device-\($0 % 7)" }, run: "night")
    #expect(try JetStream(hosts: ["127.0.0.1:\(server.port)"], prefix: "road").sink().send(sent[...]).taken == 300)
    try server.client.publish("road.elsewhere.x", "{}")
    let gone = try server.ask("$JS.API.STREAM.MSG.DELETE.ROAD", #"{"seq":17}"#)
    #expect(gone["success"] != nil && gone["error"] == nil)
    let read = try Self.bodies("nats://127.0.0.1:\(server.port)/road.night")
    #expect(read.count == 299)
    for device in 0..<7 {
      let mine = { (body: String) in body.contains(#""device":"device-\#(device)""#) }
      let wanted = sent.map { String(decoding: $0.body, as: UTF8.self) }.filter(mine)
      let found = read.filter(mine)
      #expect(found == wanted || found.count == wanted.count - 1 && wanted.filter(found.contains) == found)
    }
    #expect(try Self.bodies("nats://127.0.0.1:1,127.0.0.1:\(server.port)/road").count == 300, "the next host is asked")
  }

  /// The server names 1,024 of them in one answer.
  @Test(.enabled(if: StreamServer.isInstalled, needsNATS)) func everyStreamOfThePrefixIsRead() throws {
    let server = try StreamServer()
    for number in 1_000..<2_025 {
      _ = try server.ask(
        "$JS.API.STREAM.CREATE.S\(number)",
        #"{"name":"S\#(number)","subjects":["wide.\#(number).>"],"storage":"memory"}"#)
    }
    try server.client.publish("wide.1000.a", "first")
    try server.client.publish("wide.2024.a", "last")
    #expect(try Self.bodies("nats://127.0.0.1:\(server.port)/wide") == ["first", "last"])
  }

  @Test(.enabled(if: StreamServer.isInstalled, needsNATS)) func whatIsNoStreamIsSaid() throws {
    let server = try StreamServer()
    #expect(try Self.bodies("nats://127.0.0.1:\(server.port)/road") == [], "an empty stream")
    #expect(try Self.failure("nats://127.0.0.1:\(server.port)/other") == "no stream has the subjects other.>")
    let port = server.port
    server.kill()
    #expect(try Self.failure("nats://127.0.0.1:\(port)/road").hasPrefix("127.0.0.1:\(port): "))
  }

  /// A repetition has the id of the first; another id for the same record is no repetition.
  @Test(.enabled(if: StreamServer.isInstalled, needsNATS)) func messagesWithAnIDThatWasThereAreLeftOut() throws {
    let server = try StreamServer()
    let messages = [
      Self.record("a", 1), Self.record("a", 2), Self.record("a", 1), Self.record("a", 2, id: "another"),
      Self.record("b", 3), Self.record("b", 3, run: "night"),
    ]
    for message in messages { try server.client.publish("road.-.a", message) }
    let url = "nats://127.0.0.1:\(server.port)/road"
    let session = try Self.view(url).session()
    var found: [String] = []
    let end = try session.read("a") { found.append("\($0.device ?? "")\($0.value("odometer")?.shown ?? "")") }
    #expect(found == ["a1", "a2", "a2", "b3", "b3"] && end.repetitions == 1)
    #expect(try Self.view(url + "?run=night").records(of: "b").count == 1)
    #expect(try Self.view(url + "?run=day").records(of: "b").isEmpty)
    #expect(try Self.view(url).records(of: "a").first?.uuid == UUID128(high: 0x4000, low: 0x8000_0000_0000_0001))
    try server.client.publish("road.-.a", "[1]")
    let problem = try #require(throws: StoreViewError.self) { try Self.view(url).records(of: "a") }
    #expect(problem.text == "\(url): message 7 is no JSON object")
  }

  @Test(.enabled(if: KafkaConnection.isLibraryThere, "needs librdkafka1")) func aTopicIsReadPartitionByPartition()
    throws
  {
    let cluster = try Cluster()
    cluster.make("wide", partitions: 4)
    let url = "kafka://\(cluster.address)/wide"
    #expect(try Self.bodies(url) == [], "an empty topic")
    let sent = try ForwardMessage.some(of: (0..<200).map { "device-\($0 % 7)" }, run: "night")
    #expect(try KafkaTopic(hosts: [cluster.address], name: "wide").sink().send(sent[...]).taken == 200)
    #expect((0..<4).count { !cluster.messages("wide", partition: Int32($0)).isEmpty } > 1)
    let read = try Self.bodies(url)
    #expect(read.count == 200)
    for device in 0..<7 {
      let mine = { (body: String) in body.contains(#""device":"device-\#(device)""#) }
      #expect(read.filter(mine) == sent.map { String(decoding: $0.body, as: UTF8.self) }.filter(mine))
    }
    #expect(try Self.bodies(url).count == 200, "a reader leaves no mark of its own")
  }

  @Test(.enabled(if: KafkaConnection.isLibraryThere, "needs librdkafka1")) func aTopicThatIsNotThereIsNamed() throws {
    let cluster = try Cluster()
    cluster.deny("elsewhere", 3)
    #expect(try Self.failure("kafka://\(cluster.address)/elsewhere") == "Broker: Unknown topic or partition")
    #expect(throws: StoreViewError.self) { try Self.view("kafka://127.0.0.1/").session() }
  }

  @Test(arguments: [
    ("nats://u:p@h/road", "ROLLINGROAD_VERIFY_TOKEN"), ("nats:///road", "a host is missing"),
    ("nats://h/a..b", "begin with PREFIX"), ("kafka://h", "a topic of Kafka has"),
    ("kafka://h/t?acks=1", "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or run=NAME or ca=FILE"),
    ("nats://h/t?sasl=PLAIN", "may stand run=NAME or ca=FILE"), ("nats://h/t?run=", "run=NAME"),
  ])
  func aPlaceThatIsNoneSaysWhy(url: String, words: String) throws {
    var place = StorePlace()
    place.stream = url
    #expect(place.problem?.message.contains(words) == true, "\(String(describing: place.problem))")
  }

  @Test func everyHostHasAPort() throws {
    let hosts = try StreamURL("nats://[::1],[::2]:7,three,four:8/road").hosts
    #expect(hosts == ["[::1]:4222", "[::2]:7", "three:4222", "four:8"])
  }

  @Test func aPlaceHasItsParameters() throws {
    let place = try StreamURL("kafka+ssl://one,two:1/t?sasl=SCRAM-SHA-256&run=n&ca=/c.pem", hasExtras: true)
    #expect(place.kind == .kafka(topic: "t", .scram256) && place.hosts == ["one:9092", "two:1"] && place.isSecure)
    #expect(place.extras.run == "n" && place.extras.authorities == "/c.pem" && place.shown == "kafka+ssl://one,two:1/t")
  }
}
