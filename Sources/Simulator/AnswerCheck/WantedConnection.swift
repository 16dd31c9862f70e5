import Base
package import Upload

extension RequestOutcome {
  /// The complaint of a server about the wrong kind of connection, as a sentence with a remedy; no request succeeds on it.
  package var wantedConnection: String? {
    guard case .answered(400, reason: _, let body) = self else { return nil }
    let text = String(decoding: body, as: UTF8.self)
    if ["plain HTTP request was sent to HTTPS port", "requires TLS"].contains(where: text.contains) {
      return "the target speaks TLS: name it with https://"
    }
    guard ["No required SSL certificate", "SSL certificate error"].contains(where: text.contains) else { return nil }
    return "the target asks for a certificate that it accepts: --client-cert FILE, and --client-key FILE for its key"
  }
}
