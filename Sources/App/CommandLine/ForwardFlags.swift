internal import Base
import CurlTransport
import IngestServer
import Sinks
import Store

/// The flags with which `serve` forwards stored records.
enum ForwardFlags {
  static let all: [Flag] = [
    .values(
      "forward", "[NAME=]URL",
      "send each stored record on to a webhook (https://, http://), a stream of NATS (nats://, tls://) or a topic of Kafka (kafka://, kafka+ssl://) [none]"
    ),
    .value(
      "forward-from", "POINT", "where a new sink begins: now, or start for what is stored already [now]"),
    .value("forward-batch", "N", "records sent together at most [500; 4000 to NATS and Kafka]"),
    .value(
      "forward-secret", "SECRET", "key that signs the requests of webhooks; a line NAME=SECRET is for that sink alone",
      isSecret: true),
    .value(
      "forward-token", "TOKEN",
      "bearer token for the sinks, USER:PASSWORD for Kafka; a line NAME=TOKEN is for that sink alone", isSecret: true),
    .value(
      "forward-ca", "FILE", "authorities that sinks with TLS are checked by, in PEM form [those of the system]"),
  ]

  private static let webhookBatch = 500
  /// Each device has at most one message in flight: this many records span many devices, even when each uploaded a backlog.
  private static let streamBatch = 4_000

  static func targets(_ values: FlagValues) throws(UsageError) -> [ForwardTarget] {
    let words = values.texts("forward")
    guard !words.isEmpty else {
      let names = ["forward-from", "forward-batch", "forward-secret", "forward-token", "forward-ca"]
      for name in names where values.text(name) != nil {
        throw UsageError("--\(name) needs --forward URL")
      }
      return []
    }
    let batch = try values.read("forward-batch", expected: "a whole number from 1 to 10000") { text in
      Quantities.count(text).flatMap { (1...10_000).contains($0) ? $0 : nil }
    }
    let places = try words.map { (word) throws(UsageError) in try SinkArgument(word) }
    var names: Set<String> = []
    for place in places where !names.insert(place.name).inserted {
      throw UsageError("--forward: two sinks are named '\(place.name)'; give one of them another name: NAME=URL")
    }
    return try places.map { (place) throws(UsageError) in
      let token = try secret("forward-token", for: place.name, among: names, values)
      switch place.kind {
      case .webhook(let url):
        var settings = WebhookSink.Settings(url: url)
        settings.secret = try secret("forward-secret", for: place.name, among: names, values)
        settings.token = token
        settings.transport.certificateAuthorities = values.text("forward-ca")
        settings.transport.trustSetting = "--forward-ca FILE"
        return WebhookSink.target(place.name, settings, records: batch ?? webhookBatch)
      case .stream(let stream):
        do throws(StreamURL.Problem) {
          return try stream.target(
            place.name, token: token, authorities: values.text("forward-ca"), records: batch ?? streamBatch)
        } catch { throw UsageError("--forward-token: \(error.text)") }
      }
    }
  }

  /// Returns the secret on the line that begins with the name of the sink, or on a line that begins with no sink's name.
  static func secret(
    _ flag: String, for sink: String, among sinks: Set<String>, _ values: FlagValues
  ) throws(UsageError) -> String? {
    guard let text = values.text(flag) else { return nil }
    if text.isEmpty { return try checked(text, flag) }
    var common: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, sinks.contains(parts[0]) else {
        common = String(line)
        continue
      }
      if parts[0] == sink { return try checked(parts[1], flag) }
    }
    return try common.map { (text) throws(UsageError) in try checked(text, flag) }
  }

  /// Checks a secret, which becomes part of a header field.
  private static func checked(_ secret: String, _ flag: String) throws(UsageError) -> String {
    guard !secret.isEmpty, secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw UsageError("--\(flag): a secret has visible ASCII characters and no spaces")
    }
    return secret
  }
}

/// `[NAME=]URL`, as typed.
struct SinkArgument: Equatable {
  enum Kind: Equatable {
    case webhook(url: String)
    case stream(StreamURL)
  }

  private static let schemes = ["https://", "http://"] + StreamURL.schemes

  /// The name; by default the URL up to its query.
  let name: String
  /// The URL up to its query.
  let shown: String
  let kind: Kind

  init(_ word: String) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let isNamed = parts.count == 2 && !parts[0].contains("/")
    let url = isNamed ? parts[1] : word
    guard let scheme = SinkArgument.schemes.first(where: url.hasPrefix) else {
      throw UsageError(
        "--forward: '\(word)' is not [NAME=]URL with https://, http://, nats://, tls://, kafka:// or kafka+ssl://")
    }
    let place = url.dropFirst(scheme.count)
    let host = place.prefix { !"/?".contains($0) }
    guard !host.isEmpty, !place.contains("#"), place.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw UsageError(
        "--forward: '\(word)' is not a sink URL, such as https://HOST[:PORT]/PATH, nats://HOST[:PORT]/PREFIX or kafka://HOST[:PORT]/TOPIC"
      )
    }
    guard !host.contains("@") else {
      throw UsageError("--forward: a password in a URL is shown in process lists; use --forward-token instead")
    }
    shown = scheme + place.prefix { $0 != "?" }
    kind = StreamURL.isOne(url) ? try SinkArgument.stream(url) : try SinkArgument.webhook(url)
    name = isNamed ? parts[0] : shown
    guard !isNamed || (1...100).contains(name.utf8.count) && name.utf8.allSatisfy({ SinkArgument.isPart($0) }) else {
      throw UsageError("--forward: the name '\(name)' may have up to 100 letters, digits, '.', '_' and '-'")
    }
  }

  /// The address is checked at the start: the client would report it again at each attempt, without end.
  private static func webhook(_ url: String) throws(UsageError) -> Kind {
    let host = URLParts(url).host
    do throws(HostAndPort.Problem) {
      _ = try HostAndPort(host)
    } catch { throw UsageError("--forward: '\(host)' is not \(HostAndPort.form)") }
    return .webhook(url: url)
  }

  private static func stream(_ url: String) throws(UsageError) -> Kind {
    do throws(StreamURL.Problem) { return .stream(try StreamURL(url)) } catch {
      throw UsageError("--forward: \(error.text)")
    }
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "._-".utf8.contains(byte)
    }
  }
}
