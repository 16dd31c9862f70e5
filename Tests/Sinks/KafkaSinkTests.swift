import Base
import IngestServer
import Store
import Support
import Testing

@testable import Sinks

@Suite struct KafkaTopicTests {
  private func value(_ name: String, _ topic: KafkaTopic) -> String? {
    topic.settings.first { $0.name == name }?.value
  }

  /// The names of the settings are those of librdkafka's CONFIGURATION.md.
  @Test func eachWayToTheBrokersHasItsProtocol() {
    var topic = KafkaTopic(hosts: ["a:1", "b:2"], name: "t")
    #expect(value("bootstrap.servers", topic) == "a:1,b:2" && value("enable.idempotence", topic) == "true")
    #expect(value("security.protocol", topic) == "plaintext" && value("sasl.mechanism", topic) == nil)
    topic.user = "u:p:q"
    topic.login = .scram512
    #expect(value("security.protocol", topic) == "sasl_plaintext" && value("sasl.mechanism", topic) == "SCRAM-SHA-512")
    #expect(value("sasl.username", topic) == "u" && value("sasl.password", topic) == "p:q")
    topic.isSecure = true
    topic.authorities = "/ca.pem"
    #expect(value("security.protocol", topic) == "sasl_ssl" && value("ssl.ca.location", topic) == "/ca.pem")
    topic.user = nil
    #expect(value("security.protocol", topic) == "ssl")
  }

  @Test func theKeyIsTheDevice() {
    #expect(KafkaTopic.key(of: DeviceIdentity(run: "", name: "a/b")) == "a/b")
    #expect(KafkaTopic.key(of: DeviceIdentity(run: "r", name: "a")) == "r/a")
  }
}

@Suite(.timeLimit(.minutes(10)), .enabled(if: KafkaConnection.isLibraryThere, "needs librdkafka1"))
struct KafkaSinkTests {
  private let cluster: Cluster

  init() throws {
    cluster = try Cluster()
    cluster.make("road", partitions: 1)
  }

  private func sink(
    _ topic: String = "road", patience: Nanoseconds = .seconds(60)
  ) throws -> StreamSink<KafkaConnection> {
    try KafkaTopic(hosts: [cluster.address], name: topic).sink(patience: patience)
  }

  @Test func recordsAreInTheTopicOnceAndInOrder() throws {
    let sink = try sink()
    let sent = try ForwardMessage.some(of: "abacabaab", run: "night")
    #expect(sink.send(sent[...]) == SinkAnswer(taken: 9))
    #expect(cluster.messages("road").count == 9)
    #expect(cluster.numbers("road", of: "night/a") == [0, 2, 4, 6, 7])
    #expect(cluster.numbers("road", of: "night/b") == [1, 5, 8])
    let first = try #require(
      cluster.messages("road").first { $0.body == String(decoding: sent[0].body, as: UTF8.self) })
    #expect(first.key == "night/a" && first.body.hasPrefix(#"{"id":"night/a/"#))
  }

  /// Hashes by which Kafka's own tests check the partitioner of Java (org.apache.kafka.common.utils, `murmur2`): of "21", "foobar" and "abc".
  @Test(arguments: [("21", -973_932_308), ("foobar", -790_332_482), ("abc", 479_470_107)])
  func aKeyGoesWhereTheClientsOfJavaTakeIt(device: String, hash: Int) throws {
    cluster.make("wide", partitions: 4)
    #expect(try sink("wide").send(try ForwardMessage.some(of: [device])[...]) == SinkAnswer(taken: 1))
    let found = (0..<4).filter { !cluster.messages("wide", partition: Int32($0)).isEmpty }
    #expect(found == [(hash & 0x7FFF_FFFF) % 4])
  }

  @Test func aBatchThatIsTooLargeIsSentInParts() throws {
    let sink = try sink()
    let sent = try ForwardMessage.some(of: "abc")
    cluster.refuseNext(10)
    let reason = "Broker: Message size too large"
    #expect(sink.send(sent[...]) == SinkAnswer(taken: 0, .refused(count: 3, reason: reason)))
    cluster.refuseNext(10)
    #expect(sink.send(sent[..<1]) == SinkAnswer(taken: 0, .refused(count: 1, reason: reason)), "it alone")
    #expect(sink.send(sent[1...]) == SinkAnswer(taken: 2))
    #expect(cluster.messages("road").map(\.key) == ["b", "c"])
  }

  @Test func whatTheClientCannotSendIsRefused() throws {
    let sent = try ForwardMessage.some(of: "a", firstPadding: 17 << 20)
    #expect(try sink().send(sent[...]) == SinkAnswer(taken: 0, .refused(count: 1, reason: "larger than 16 MiB")))
  }

  @Test func aPassingErrorIsTriedAgainByTheClient() throws {
    let sink = try sink()
    for error: Int32 in [6, 19, 7] { cluster.refuseNext(error) }  // no leader, too few replicas, time is over
    #expect(sink.send(try ForwardMessage.some(of: "abab")[...]) == SinkAnswer(taken: 4))
    #expect(cluster.numbers("road", of: "a") == [0, 2] && cluster.numbers("road", of: "b") == [1, 3])
  }

  @Test func aBrokerThatIsAwayIsWaitedFor() throws {
    let sink = try sink(patience: .milliseconds(300))
    let sent = try ForwardMessage.some(of: "aba")
    #expect(sink.send(sent[..<1]) == SinkAnswer(taken: 1))
    cluster.setReachable(false)
    let answer = sink.send(sent[1...])
    guard case .later(nil, let reason) = answer.trouble else {
      Issue.record("\(answer)")
      return
    }
    #expect(answer.taken == 0 && reason.hasPrefix("no acknowledgement within 300 ms"))
    cluster.setReachable(true)
    let patient = try self.sink()
    #expect(patient.send(sent[1...]) == SinkAnswer(taken: 2))
    #expect(cluster.numbers("road", of: "a") == [0, 2] && cluster.numbers("road", of: "b") == [1])
  }

  @Test func aTopicThatIsNotThereIsNamed() throws {
    cluster.deny("elsewhere", 3)
    let answer = try sink("elsewhere").send(try ForwardMessage.some(of: "a")[...])
    #expect(answer == SinkAnswer(taken: 0, .later(reason: "Broker: Unknown topic or partition")))
  }

  @Test func aStopEndsTheWaiting() throws {
    cluster.setReachable(false)
    let sink = try sink()
    sink.interrupt()
    #expect(sink.send(try ForwardMessage.some(of: "a")[...]).taken == 0)
  }

  @Test(arguments: KafkaTopic.Login.allCases)
  func theLibraryKnowsTheSettings(login: KafkaTopic.Login) throws {
    var topic = KafkaTopic(hosts: [cluster.address], name: "road")
    (topic.user, topic.login, topic.isSecure) = ("u:p", login, true)
    _ = try KafkaConnection(to: topic)
  }
}
