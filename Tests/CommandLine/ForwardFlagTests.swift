import IngestServer
import Sinks
import Store
import Testing

@testable import CommandLine

@Suite struct ForwardFlagTests {
  private func targets(_ words: [String]) throws -> [ForwardTarget] {
    let process = ProcessContext(arguments: [], writeOutput: { _ in }, writeError: { _ in }, errorIsTerminal: false)
    let (values, _) = try FlagParser(flags: ForwardFlags.all, operandCount: 0...0).parse(words, in: process)
    return try ForwardFlags.targets(values)
  }

  @Test func aSinkHasItsNameOrThatOfItsURL() throws {
    let found = try targets([
      "--forward", "orders=https://example.org/hook?key=1", "--forward", "http://127.0.0.1:9/a=b?c=d",
      "--forward-batch=7",
    ])
    #expect(found.map(\.name) == ["orders", "http://127.0.0.1:9/a=b"])
    #expect(found.map(\.place) == ["https://example.org/hook", "http://127.0.0.1:9/a=b"])
    #expect(found.allSatisfy { $0.portion.records == 7 })
    #expect(try targets([]).isEmpty)
  }

  @Test(arguments: [
    "https://[::1]/", "http://[::1]:65535/a?b=[c]:d", "http://a-b.example:1?c", "nats://[::1]:4222,two/road",
  ])
  func aHostMayHaveAPortAndBeAnAddress(word: String) throws {
    #expect(try SinkArgument(word).shown == String(word.prefix { $0 != "?" }))
  }

  /// The place of a stream, as a reader understands its URL.
  private func stream(_ word: String) throws -> StreamURL {
    guard case .stream(let place) = try SinkArgument(word).kind else { throw UsageError("a webhook") }
    return place
  }

  @Test func aStreamHasHostsAndAPrefix() throws {
    let place = try stream("bus=nats://one,two:5222/road.records")
    #expect(place.kind == .nats(prefix: "road.records") && place.hosts == ["one:4222", "two:5222"] && !place.isSecure)
    let secure = try stream("tls://one/road")
    #expect(secure.kind == .nats(prefix: "road") && secure.hosts == ["one:4222"] && secure.isSecure)
  }

  @Test func aTopicHasBrokersANameAndALogin() throws {
    let place = try stream("bus=kafka://one,two:19092/fleet.locations")
    #expect(place.kind == .kafka(topic: "fleet.locations", .plain) && place.hosts == ["one:9092", "two:19092"])
    let secure = try SinkArgument("kafka+ssl://one/t?sasl=SCRAM-SHA-512")
    #expect(secure.kind == .stream(try StreamURL("kafka+ssl://one/t?sasl=SCRAM-SHA-512")))
    #expect(try stream("kafka+ssl://one/t?sasl=SCRAM-SHA-512").isSecure)
    #expect(secure.name == "kafka+ssl://one/t")
    #expect(throws: UsageError.self, "a token is no login") {
      try targets(["--forward", "kafka://one/t", "--forward-token", "token"])
    }
    #expect(try targets(["--forward", "kafka://one/t", "--forward-token", "user:password"]).count == 1)
  }

  @Test(arguments: [
    "kafka://host", "kafka://host/", "kafka://host/a/b", "kafka://host/t?sasl=GSSAPI", "kafka://host/t?acks=1",
    "ftp://example.org", "example.org", "orders=", "https://", "https://example.org/#part", "https://a b/",
    "https://user:pass@example.org/", "a/b=https://example.org", "ä=https://example.org", "nats://host/a..b",
    "nats://host/a*", "nats://host/", "nats://host", "tls://host", "https://host:99999/", "https://host:0/",
    "https://host:/", "https://host:+80/",
    "https://:80/", "https://[::1/", "https://[]/", "https://::1/", "https://[::1]80/", "https://a]/",
    "nats://one,two:65536/road", "kafka://one:x/t",
  ])
  func aWordThatIsNoSinkIsRefused(word: String) {
    #expect(throws: UsageError.self) { try SinkArgument(word) }
  }

  @Test func whatDoesNotGoTogetherIsRefused() {
    for words in [
      ["--forward-secret", "s"], ["--forward-ca", "f"], ["--forward-from", "start"], ["--forward-batch", "5"],
      ["--forward", "https://a/", "--forward", "https://a/?b"],
      ["--forward", "https://a/", "--forward-batch", "0"], ["--forward", "https://a/", "--forward-token", "a b"],
      ["--forward", "https://a/", "--forward-secret", ""],
    ] {
      #expect(throws: UsageError.self, "\(words)") { try targets(words) }
    }
  }

  @Test(arguments: [
    ["--forward", "https://a/", "--forward-ca"], ["--auth=required", "--jwks=https://a/", "--jwks-ca"],
  ])
  func authoritiesThatCannotBeReadAreRefusedAtTheStart(flags: [String]) throws {
    // A server that did not look would not start either, and say something else.
    let words = ["serve", "--listen", "127.0.0.1:0", "--data", "/dev/null/data"] + flags + ["none.pem"]
    let call = CommandCall(words)
    #expect(call.code == .usage && call.error.contains("\(flags[2]): cannot read none.pem"), "\(call.error)")
  }

  @Test func eachSinkHasItsOwnSecretOrTheCommonOne() throws {
    let parse = { (text: String, sink: String) throws(UsageError) in
      var values = FlagValues()
      values.set("forward-secret", text, origin: "--forward-secret")
      return try ForwardFlags.secret("forward-secret", for: sink, among: ["a", "b"], values)
    }
    #expect(try parse("common", "a") == "common" && parse("x=y", "a") == "x=y")
    #expect(try parse("a=first\nb=second=2\ncommon", "a") == "first")
    #expect(try parse("a=first\nb=second=2\ncommon", "b") == "second=2")
    #expect(try parse("common\nb=second", "a") == "common" && parse("b=second", "a") == nil)
  }
}
