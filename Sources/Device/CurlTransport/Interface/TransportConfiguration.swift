package import Base

/// How a transport reaches its servers.
package struct TransportConfiguration: Sendable {
  /// The newest version of HTTP to speak; what is spoken is agreed upon in the TLS handshake (RFC 9113 §3.2).
  package enum HTTPVersion: Sendable {
    case http1, http2
  }

  package var connections = ConnectionPolicy.mobile
  /// Under `.mobile`, and without a proxy: plain HTTP is spoken here, and libcurl only makes the connections. Fleets gain by
  /// it, one phone does not.
  package var isDirect = false
  /// How long an unused connection stays open: OkHttp's five minutes.
  package var idleTime = Nanoseconds.seconds(300)
  package var httpVersion = HTTPVersion.http1
  /// As in `http://proxy:3128`.
  package var proxy: String?
  /// A file of certificates in PEM form that takes the place of the system's roots.
  package var certificateAuthorities: String?
  /// For https, the variables of the environment that curl's users know count where the two above are nil: `HTTPS_PROXY`,
  /// `ALL_PROXY` and `NO_PROXY`, and `CURL_CA_BUNDLE` and `SSL_CERT_FILE`.
  package var heedsEnvironment = false
  /// Numeric addresses of this machine for the devices in turn: one address has some 28,000 ports to one server.
  package var sourceAddresses: [String] = []
  /// A larger answer is a failure. In bytes.
  package var answerLimit = 16 << 20
  /// Whether completions bring the header lines of answers.
  package var keepsHeads = false
  /// Connections are made and nothing is sent over them; what is connected counts as answered with status 0.
  package var connectsOnly = false

  package init() {}
}
