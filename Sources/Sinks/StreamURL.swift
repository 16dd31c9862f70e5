internal import Base
import Shell
package import Store

/// The URL of a stream: `nats://HOST[:PORT][,…]/PREFIX` or `kafka://HOST[:PORT][,…]/TOPIC`; `tls://` and `kafka+ssl://` over
/// TLS.
package struct StreamURL: Equatable, Sendable {
  /// The system, and the name within it.
  package enum Kind: Equatable, Sendable {
    /// The prefix of the subjects.
    case nats(prefix: String)
    case kafka(topic: String, KafkaTopic.Login)
  }

  /// The error in a URL, as a clause.
  package struct Problem: Error {
    package let text: String
  }

  /// Parameters that only some places accept.
  package struct Extras: Equatable, Sendable {
    /// Only messages of this run.
    package var run: String?
    /// A PEM file; nil for the authorities of the system.
    package var authorities: String?
  }

  package static let schemes = ["nats://", "tls://", "kafka://", "kafka+ssl://"]

  package let kind: Kind
  /// The hosts with their ports.
  package let hosts: [String]
  package let isSecure: Bool
  package private(set) var extras = Extras()
  /// The URL without parameters.
  package let shown: String

  /// Returns whether the URL has the scheme of a stream.
  package static func isOne(_ url: String) -> Bool { schemes.contains(where: url.hasPrefix) }

  private static func address(_ host: Substring, standardPort: UInt16) throws(Problem) -> String {
    do throws(HostAndPort.Problem) {
      return try HostAndPort(host).port == nil ? "\(host):\(standardPort)" : String(host)
    } catch { throw Problem(text: "'\(host)' is not \(HostAndPort.form)") }
  }

  /// `hasExtras`: whether the parameters `run` and `ca` are allowed.
  package init(_ url: String, hasExtras: Bool = false) throws(Problem) {
    guard let scheme = StreamURL.schemes.first(where: url.hasPrefix),
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !url.contains("#")
    else { throw Problem(text: "the scheme must be nats://, tls://, kafka:// or kafka+ssl://") }
    let parts = url.dropFirst(scheme.count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let hosts = parts[0].prefix { $0 != "/" }
    let path = parts[0].dropFirst(hosts.count)
    guard !hosts.contains("@") else {
      throw Problem(
        text: "the URL must not contain a password, because reports show it: set \(StreamURL.variable) instead")
    }
    let isKafka = scheme.hasPrefix("kafka")
    self.hosts = try hosts.split(separator: ",").map { (host) throws(Problem) in
      try StreamURL.address(host, standardPort: isKafka ? 9_092 : 4_222)
    }
    guard !self.hosts.isEmpty else { throw Problem(text: "a host is missing, as in \(scheme)HOST/NAME") }
    isSecure = scheme == "tls://" || scheme == "kafka+ssl://"
    shown = scheme + hosts + path
    var login = KafkaTopic.Login.plain
    for parameter in parts.count == 2 ? parts[1].split(separator: "&", omittingEmptySubsequences: false) : [] {
      let words = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch (words[0], words.count == 2 ? words[1] : "") {
      case ("sasl", let name) where isKafka && KafkaTopic.Login(rawValue: name) != nil:
        login = KafkaTopic.Login(rawValue: name) ?? login
      case ("run", let run) where hasExtras && !run.isEmpty: extras.run = run
      case ("ca", let file) where hasExtras && !file.isEmpty: extras.authorities = file
      default: throw Problem(text: StreamURL.parameters(isKafka: isKafka, hasExtras: hasExtras))
      }
    }
    kind = isKafka ? .kafka(topic: try StreamURL.topic(path), login) : .nats(prefix: try StreamURL.prefix(path))
  }

  private static func parameters(isKafka: Bool, hasExtras: Bool) -> String {
    let logins = KafkaTopic.Login.allCases.map(\.rawValue).joined(separator: ", ")
    let known =
      (isKafka ? ["sasl=MECHANISM, one of \(logins)"] : []) + (hasExtras ? ["run=NAME", "ca=FILE"] : [])
    return known.isEmpty ? "the URL takes no parameters" : "behind '?' may stand " + known.joined(separator: " or ")
  }

  /// Checks tokens separated by points.
  private static func prefix(_ path: Substring) throws(Problem) -> String {
    let prefix = path.dropFirst()
    guard prefix.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }), isName(prefix)
    else { throw Problem(text: "the subjects of NATS begin with PREFIX, as in nats://HOST/road.records") }
    return String(prefix)
  }

  private static func topic(_ path: Substring) throws(Problem) -> String {
    let name = path.dropFirst()
    guard (1...249).contains(name.utf8.count), isName(name) else {
      throw Problem(
        text: "a topic of Kafka has up to 249 letters, digits, '.', '_' and '-', as in kafka://HOST/locations")
    }
    return String(name)
  }

  private static func isName(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "._-".utf8.contains(byte)
      }
    }
  }
}

/// The client of a place, for writing and reading.
extension StreamURL {
  private enum Client {
    case nats(JetStream)
    case kafka(KafkaTopic)
  }

  /// `token` is the credential, for Kafka `USER:PASSWORD`; `authorities` is a PEM file, nil for those of the system.
  private func client(token: String?, authorities: String?) throws(Problem) -> Client {
    switch kind {
    case .nats(let prefix):
      var stream = JetStream(hosts: hosts, prefix: prefix)
      (stream.isSecure, stream.token, stream.authorities) = (isSecure, token, authorities)
      return .nats(stream)
    case .kafka(let name, let login):
      if let token, !token.contains(":") { throw Problem(text: "Kafka takes USER:PASSWORD") }
      var topic = KafkaTopic(hosts: hosts, name: name)
      (topic.isSecure, topic.login, topic.user, topic.authorities) = (isSecure, login, token, authorities)
      return .kafka(topic)
    }
  }

  /// Returns the sink for a server's configuration.
  package func target(
    _ name: String, token: String?, authorities: String?, records: Int
  ) throws(Problem) -> ForwardTarget {
    switch try client(token: token, authorities: authorities) {
    case .nats(let stream): stream.target(name, shown, records: records)
    case .kafka(let topic): topic.target(name, shown, records: records)
    }
  }

  /// Calls `take` with each message that exists when reading begins: those of a device in the order of the stream.
  package func read(_ take: (_ message: [UInt8]) -> Void) throws(StreamFailure) {
    let found: Client
    do throws(Problem) {
      found = try client(token: try StreamURL.token(), authorities: extras.authorities)
    } catch { throw StreamFailure(message: "\(StreamURL.variable): \(error.text)") }
    switch found {
    case .nats(let stream): try stream.read(take)
    case .kafka(let topic): try topic.read(take)
    }
  }

  /// The environment variables with the credential of a reader, or the name of a file with it.
  private static let (variable, fileVariable) = ("ROLLINGROAD_VERIFY_TOKEN", "ROLLINGROAD_VERIFY_TOKEN_FILE")
  package static let variables = [variable, fileVariable]
  private static let tokenBytesMax = 65_536

  private static func token() throws(Problem) -> String? {
    if let text = EnvironmentVariable.value(of: variable), !text.isEmpty { return text }
    guard let path = EnvironmentVariable.value(of: fileVariable) else { return nil }
    var bytes: [UInt8] = []
    let isRead = LineFile.read(path) { piece in
      bytes += piece
      return bytes.count <= tokenBytesMax
    }
    guard isRead, let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(text: "cannot read the file \(path)")
    }
    // Editors end a file with a newline; a secret has none. As for flags, inner white space is kept.
    let secret = String(text.reversed().drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace })
    return secret.isEmpty ? nil : secret
  }
}
