internal import Base
package import Upload

/// Why a server cannot be reached, with a remedy where the command line suggests one.
package struct TargetSilence: Equatable, Sendable {
  /// `https://127.0.0.1:8443`, without user name and password.
  package let origin: String
  package let failure: TransportFailure
  /// The transport's message, with a remedy for a certificate problem.
  package let message: String

  package init(origin: String, failure: TransportFailure, message: String) {
    (self.origin, self.failure, self.message) = (URLParts(origin).withoutUser, failure, message)
  }

  /// Returns the message with its hint. `variable` reads the environment.
  package func text(_ variable: (String) -> String?) -> String {
    if failure == .tls, message.contains("certificate problem") {
      return "the certificate of \(origin) is not trusted: \(message)"
    }
    if let proxy = proxy(variable) {
      return "no answer from \(origin) by way of the proxy \(proxy.url), which \(proxy.variable) names: \(message)"
    }
    return "no answer from \(origin): \(message)"
  }

  /// Returns a hint to follow the transport's message; nil without one.
  package func hint(_ variable: (String) -> String?) -> String? {
    proxy(variable).map { "the request goes by way of the proxy \($0.url), which \($0.variable) names" }
  }

  /// Returns the proxy of an https target that NO_PROXY does not exempt; for other targets the message cannot concern the proxy.
  private func proxy(_ variable: (String) -> String?) -> (variable: String, url: String)? {
    guard origin.lowercased().hasPrefix("https:") else { return nil }
    for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
      guard let value = variable(name), !value.isEmpty else { continue }
      let address = URLParts(value)
      let parts = address.host.split(separator: ":")
      let isMeant =
        message.contains("proxy") || message.contains("CONNECT")
        || (message.contains(String(parts[0])) && message.contains("port \(parts.count > 1 ? parts[1] : "1080")"))
      return isMeant ? (name, address.withoutUser) : nil
    }
    return nil
  }
}
