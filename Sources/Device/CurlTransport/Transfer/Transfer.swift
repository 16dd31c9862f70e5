import Base
import CCurl
import Contract
import Glibc
import Upload

/// A handle of libcurl and what it fills; it serves one request after another.
@safe
final class Transfer {
  let easy: UnsafeMutableRawPointer
  let errorText: UnsafeMutablePointer<CChar>
  var headers: UnsafeMutablePointer<curl_slist>?
  let answerLimit: Int
  let keepsHead: Bool
  let connectsOnly: Bool
  /// For https the environment says by which proxy.
  private let findsProxy: Bool

  unowned let loop: TransferLoop
  var device = 0
  private(set) var id: UInt64 = 0
  var reason: [UInt8] = []
  var body: [UInt8] = []
  /// Empty unless it is kept.
  var head: [UInt8] = []
  /// For whom it makes a connection, if it is there for that.
  var exchange: LineExchange?
  /// The connection that libcurl has let go of, and that is still open; -1: none.
  var handedOver: Int32 = -1
  /// Whether the empty line behind the header fields has come.
  var isHeadWhole = false

  /// Nil when memory has run out.
  init?(_ configuration: TransportConfiguration, of loop: TransferLoop) {
    guard let easy = unsafe curl_easy_init() else { return nil }
    unsafe self.easy = easy
    self.loop = loop
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    answerLimit = configuration.answerLimit
    keepsHead = configuration.keepsHeads
    connectsOnly = configuration.connectsOnly
    findsProxy = configuration.heedsEnvironment && configuration.proxy == nil
  }

  /// Not while a multi handle has it.
  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe curl_slist_free_all(headers)
    unsafe errorText.deallocate()
  }

  /// What no request changes.
  func configure(_ configuration: TransportConfiguration) {
    unsafe set(CURLOPT_PRIVATE, pointer: Unmanaged.passUnretained(self).toOpaque())
    unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
    set(CURLOPT_NOSIGNAL, 1)
    // Else giving up a request would wait for the answer of a name server.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_PROXY, configuration.proxy ?? "")
    set(CURLOPT_ACCEPT_ENCODING, "gzip")
    set(CURLOPT_HTTP_VERSION, configuration.httpVersion == .http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    // The answers are short, and thousands of requests may be waiting for one.
    set(CURLOPT_BUFFERSIZE, 4_096)
    set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    set(CURLOPT_TCP_NODELAY, 1)
    // The connection's end is watched by the table of sockets; this keeps libcurl from using one that the table has ended.
    set(CURLOPT_MAXAGE_CONN, max(1, Int((configuration.idleTime.wholeMilliseconds + 999) / 1_000)))
    if let authorities = configuration.authorities { set(CURLOPT_CAINFO, authorities) }
    // With a directory beside the file libcurl would read all roots again for each handshake.
    unsafe precondition(rr_curl_set_string(easy, CURLOPT_CAPATH, nil) == CURLE_OK, "CAPATH can be unset")
    // Handles go from device to device, and a device's TLS session must not.
    set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    if configuration.connections == .fresh {
      set(CURLOPT_FRESH_CONNECT, 1)
      set(CURLOPT_FORBID_REUSE, 1)
    } else if configuration.connections != .mobile && configuration.httpVersion == .http2 {
      set(CURLOPT_PIPEWAIT, 1)
    }
    if connectsOnly { set(CURLOPT_CONNECT_ONLY, 1) }
    setCallbacks()
  }

  /// Nil when the request can be handed to libcurl, else how it has ended before it began.
  func prepare(_ request: OutgoingRequest, device: Int, from source: String?) -> RequestOutcome? {
    (self.device, id) = (device, request.id)
    reason = []
    body = []
    head = []
    isHeadWhole = false
    unsafe errorText.pointee = 0
    if let problem = Transfer.problem(of: request) { return problem }
    set(CURLOPT_URL, request.url)
    if findsProxy {
      // Unset, libcurl asks the environment; empty, there is none.
      let proxy = request.url.lowercased().hasPrefix("https:") ? nil : ""
      unsafe precondition(rr_curl_set_string(easy, CURLOPT_PROXY, proxy) == CURLE_OK, "PROXY can be set")
    }
    set(CURLOPT_TIMEOUT_MS, max(1, Int(request.timeout.wholeMilliseconds)))
    if request.method == "GET" && request.body.isEmpty {
      set(CURLOPT_HTTPGET, 1)
    } else {
      set(CURLOPT_POST, 1)
      setBody(request.body)
    }
    set(CURLOPT_CUSTOMREQUEST, request.method)
    setHeaders(request.headers)
    if let source { set(CURLOPT_INTERFACE, "host!\(source)") }
    return nil
  }

  func useConnections(of share: UnsafeMutableRawPointer?, scope: Int) {
    unsafe set(CURLOPT_SHARE, pointer: share)
    set(CURLOPT_ADDRESS_SCOPE, scope)
  }
}

extension TransportConfiguration {
  /// curl's own order (https://curl.se/docs/sslcerts.html).
  fileprivate var authorities: String? {
    guard certificateAuthorities == nil, heedsEnvironment else { return certificateAuthorities }
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
      if let path = unsafe getenv(name).map({ unsafe String(cString: $0) }), !path.isEmpty { return path }
    }
    return nil
  }
}
