import Base
import Contract
import CurlTransport
import FleetSimulator
import IngestServer
import Upload

extension ForeignIssuerSettings {
  /// Nil without `--jwks`.
  init?(_ values: FlagValues) throws(UsageError) {
    guard let place = try values.read("jwks", expected: "a URL or a file", { $0.isEmpty ? nil : $0 }) else {
      for name in ["jwks-ca", "issuer", "audience", "device-claim"] where values.text(name) != nil {
        throw UsageError("--\(name) needs --jwks, the keys of the foreign issuer")
      }
      return nil
    }
    if values.text("jwks-ca") != nil, !place.hasPrefix("https://") {
      throw UsageError("--jwks-ca needs a URL with https in --jwks")
    }
    self.init(URLParts(place).isHTTP ? .fetched(from: place, authorities: values.text("jwks-ca")) : .file(place))
    issuer = values.text("issuer")
    audience = values.text("audience")
    switch values.text("device-claim") {
    case nil: break
    case "none"?: deviceClaim = nil
    case ""?: throw UsageError("--device-claim needs the name of a claim, or none")
    case let name?: deviceClaim = name
    }
  }
}

extension ForeignIssuerSettings.Keys {
  /// A key set has some kilobytes; a larger answer is something else.
  private static let answerBytesMax = 1 << 20

  fileprivate static func fetched(from url: String, authorities: String?) -> ForeignIssuerSettings.Keys {
    .fetched(name: url) { () throws(KeyFetchError) in
      var transport = TransportConfiguration()
      transport.certificateAuthorities = authorities
      transport.trustSetting = "--jwks-ca FILE"
      let client: BlockingHTTPClient
      do throws(TransportError) {
        client = try BlockingHTTPClient(transport, answerBytesMax: answerBytesMax)
      } catch {
        throw KeyFetchError("\(error)")
      }
      switch client.ask(url) {
      case .answered(200, reason: _, let body): return body
      case .answered(let status, reason: _, body: _): throw KeyFetchError("\(url) answered \(status)")
      case .failed(_, let message): throw KeyFetchError("no answer from \(url): \(message)")
      }
    }
  }
}

extension IdentitySettings {
  /// Nil without `--identity`.
  init?(_ values: FlagValues) throws(UsageError) {
    let names = IdentityProvider.allCases.map(\.rawValue).joined(separator: ", ")
    guard let provider = try values.read("identity", expected: "one of \(names)", IdentityProvider.init(rawValue:))
    else {
      for name in ["clock", "keys", "url", "audience"] where values.text("identity-\(name)") != nil {
        throw UsageError("--identity-\(name) needs --identity, the provider to pose as")
      }
      return nil
    }
    self.init(provider)
    clockOffset =
      try values.read("identity-clock", expected: "a time with its sign, as +90s or -5m", IdentitySettings.offset)
      ?? .zero
    keyInterval = try values.read("identity-keys", expected: "a time of a second or more, as 1h") { text in
      Nanoseconds(text: text).flatMap { $0 >= .seconds(1) ? $0 : nil }
    }
    url = try values.read("identity-url", expected: "an http or https URL") { text in
      ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count } ? text : nil
    }
    audience = try values.read("identity-audience", expected: "an audience") { $0.isEmpty ? nil : $0 }
    if audience != nil, let problem = audienceProblem { throw UsageError("--identity-audience: \(problem)") }
  }

  private static func offset(_ text: String) -> Nanoseconds? {
    guard text.hasPrefix("+") || text.hasPrefix("-") else { return Nanoseconds(text: text) }
    return Nanoseconds(text: String(text.dropFirst())).map { text.hasPrefix("-") ? .zero - $0 : $0 }
  }
}
