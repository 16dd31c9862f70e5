import Base
import CCurl
import Contract
import Glibc
import Upload

/// A handle of libcurl with its buffers; it serves one request after another.
@safe
final class Transfer: EasyHandle {
  var headers: UnsafeMutablePointer<curl_slist>?
  let answerLimit: Int
  let keepsHead: Bool
  private let readsOnlyHead: Bool
  let connectsOnly: Bool
  /// Whether the proxy for https comes from the environment.
  private let findsProxy: Bool

  unowned let loop: TransferLoop
  var device = 0
  private(set) var id: UInt64 = 0
  var reason: [UInt8] = []
  var body: [UInt8] = []
  /// The raw head; empty unless it is kept.
  var head: [UInt8] = []
  /// The exchange for which it connects, if any.
  var exchange: DirectExchange?
  /// The open connection that libcurl has released; -1 for none.
  var handedOver: Int32 = -1
  /// Whether the empty line after the header fields has arrived.
  var isHeadWhole = false
  /// The answer is longer than the limit.
  private var isTooLong = false
  /// Whether its connection has resumed a TLS session.
  private var hasResumed = false

  /// Nil when out of memory.
  init?(_ configuration: TransportConfiguration, of loop: TransferLoop) {
    self.loop = loop
    answerLimit = configuration.answerLimit
    keepsHead = configuration.keepsHeads
    readsOnlyHead = configuration.readsOnlyHeads
    connectsOnly = configuration.connectsOnly
    findsProxy = configuration.readsEnvironment && configuration.proxy == nil
    super.init(configuration)
  }

  deinit { unsafe curl_slist_free_all(headers) }

  /// Sets the options that are the same for all requests.
  func configure(_ configuration: TransportConfiguration) {
    unsafe set(CURLOPT_PRIVATE, pointer: Unmanaged.passUnretained(self).toOpaque())
    setWay(configuration)
    if !readsOnlyHead { set(CURLOPT_ACCEPT_ENCODING, "gzip") }
    set(CURLOPT_HTTP_VERSION, configuration.httpVersion == .http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    // Answers are short, and thousands of requests may be waiting for one. In HTTP/2, libcurl 7.88 waits for the socket while the
    // rest of an answer is in its TLS library: it must take a whole record at once, which has 16 KiB at most (RFC 8446 §5.1).
    set(CURLOPT_BUFFERSIZE, configuration.httpVersion == .http2 ? 16_384 : 4_096)
    set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    // The socket table enforces the idle timeout; this keeps libcurl from reusing a connection that the table has shut down.
    set(CURLOPT_MAXAGE_CONN, max(1, Int((configuration.idleTime.wholeMilliseconds + 999) / 1_000)))
    if configuration.connections == .fresh {
      set(CURLOPT_FRESH_CONNECT, 1)
      set(CURLOPT_FORBID_REUSE, 1)
    } else if configuration.connections != .mobile && configuration.httpVersion == .http2 {
      set(CURLOPT_PIPEWAIT, 1)
    }
    if connectsOnly { set(CURLOPT_CONNECT_ONLY, 1) }
    setCallbacks()
  }

  /// Prepares the request for libcurl. Returns nil, or the outcome of a request that cannot be sent.
  func prepare(_ request: OutgoingRequest, device: Int, from source: String?) -> RequestOutcome? {
    (self.device, id) = (device, request.id)
    reason = []
    body = []
    head = []
    (isHeadWhole, hasResumed, isTooLong) = (false, false, false)
    unsafe errorText.pointee = 0
    if let problem = Transfer.problem(of: request) { return problem }
    set(CURLOPT_URL, request.url)
    if findsProxy { askEnvironmentForProxy(request.isSecure) }
    set(CURLOPT_TIMEOUT_MS, max(1, Int(request.timeout.wholeMilliseconds)))
    if request.method == "GET" && request.body.isEmpty {
      set(CURLOPT_HTTPGET, 1)
    } else {
      set(CURLOPT_POST, 1)
      setBody(request.body)
    }
    // The answer to HEAD has no body, whatever its length says (RFC 9110 §9.3.2). This also undoes the choice of POST.
    set(CURLOPT_NOBODY, request.method == "HEAD" ? 1 : 0)
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

extension OutgoingRequest {
  var isSecure: Bool { url.prefix(6).lowercased() == "https:" }
}

extension NameValuePair {
  /// Whether there is nothing to send: spaces around a value are not part of it (RFC 9110 §5.5).
  var hasBlankValue: Bool { value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
}

extension Transfer {
  func setBody(_ body: [UInt8]) {
    let count = curl_off_t(body.count)
    accepted(CURLOPT_POSTFIELDSIZE_LARGE, unsafe rr_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, count))
    var body = body
    unsafe body.withUnsafeMutableBytes { bytes in
      // An empty array may have no address, and with nil libcurl would ask a callback for the body.
      unsafe set(CURLOPT_COPYPOSTFIELDS, pointer: bytes.baseAddress ?? UnsafeMutableRawPointer(errorText))
    }
  }

  func setHeaders(_ fields: [NameValuePair]) {
    var list: UnsafeMutablePointer<curl_slist>?
    func append(_ line: String) {
      guard let longer = unsafe curl_slist_append(list, line) else { preconditionFailure("out of memory") }
      unsafe list = unsafe longer
    }
    // A line with a colon and no value removes a header, one with a semicolon sends it empty (CURLOPT_HTTPHEADER(3)).
    for field in fields { append(field.hasBlankValue ? "\(field.name);" : "\(field.name): \(field.value)") }
    // Fields that libcurl would add, but a phone does not send.
    append("\(HeaderName.expect):")
    if !fields.contains(where: { $0.hasName(HeaderName.contentType) }) { append("\(HeaderName.contentType):") }
    accepted(CURLOPT_HTTPHEADER, unsafe rr_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
    unsafe curl_slist_free_all(headers)
    unsafe headers = unsafe list
  }

  /// libcurl refuses longer strings, https://curl.se/libcurl/c/curl_easy_setopt.html
  private static let stringLimit = 8_000_000

  /// Returns a failure for characters that would end a line or a C string early, or are invalid in an option.
  static func problem(of request: OutgoingRequest) -> RequestOutcome? {
    guard !request.url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      return .failed(.invalidURL, message: "the URL holds a control character")
    }
    guard request.url.utf8.count <= stringLimit else { return .failed(.invalidURL, message: "the URL is too long") }
    guard
      (1...stringLimit).contains(request.method.utf8.count)
        && request.method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      return .failed(.protocolError, message: "the method is not a token")
    }
    for field in request.headers where [field.name, field.value].contains(where: isBroken) {
      return .failed(.protocolError, message: "a header holds a control character")
    }
    return nil
  }

  private static func isBroken(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }
}

extension Transfer {
  func setCallbacks() {
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe set(CURLOPT_WRITEDATA, pointer: this)
    unsafe set(CURLOPT_HEADERDATA, pointer: this)
    let write = unsafe rr_curl_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, user in
      unsafe Transfer.of(user).take(body: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    accepted(CURLOPT_WRITEFUNCTION, write)
    let head = unsafe rr_curl_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, user in
      unsafe Transfer.of(user).take(line: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    accepted(CURLOPT_HEADERFUNCTION, head)
  }

  /// The transfer behind the pointer that it gave to libcurl.
  static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    guard let pointer = unsafe pointer else { preconditionFailure("a handle knows its transfer") }
    return unsafe Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Returning fewer bytes ends the transfer.
  private func take(body bytes: UnsafeRawBufferPointer) -> Int {
    guard body.count + bytes.count <= answerLimit else {
      isTooLong = true
      return 0
    }
    unsafe body.append(contentsOf: bytes)
    return bytes.count
  }

  /// Header lines arrive one at a time, those of interim answers (RFC 9110 §15.2) first.
  private func take(line bytes: UnsafeRawBufferPointer) -> Int {
    if unsafe bytes.starts(with: "HTTP/".utf8) {
      let words = unsafe bytes.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
      reason = unsafe words.count == 3 ? words[2].filter { $0 >= 0x20 } : []
      isHeadWhole = false
      head = []
      // The connection belongs to the transfer only while the transfer lasts.
      hasResumed = unsafe rr_curl_has_resumed(easy) == 1
    } else if unsafe bytes.allSatisfy({ $0 == 13 || $0 == 10 }) {
      isHeadWhole = true
    }
    if keepsHead { unsafe head.append(contentsOf: bytes) }
    return bytes.count
  }

  /// Whether it could begin to send.
  var hasConnection: Bool { offset(CURLINFO_PRETRANSFER_TIME_T) > 0 }

  func outcome(_ code: CURLcode) -> RequestOutcome {
    defer { (reason, body) = ([], []) }
    if code == CURLE_OK || isTooLong && readsOnlyHead {
      // libcurl accepts a partial head; a record must not be deleted because of half an answer.
      guard isHeadWhole || connectsOnly else {
        return .failed(.incomplete, message: "the connection ended within the answer's head")
      }
      return .answered(
        status: long(CURLINFO_RESPONSE_CODE), reason: String(decoding: reason, as: UTF8.self), body: body)
    }
    let failure = TransportFailure(code, systemError: long(CURLINFO_OS_ERRNO), hasSent: hasConnection)
    return .failed(failure, message: message(code))
  }

  var timings: TransferTimings {
    var timings = TransferTimings()
    timings.nameResolved = .microseconds(offset(CURLINFO_NAMELOOKUP_TIME_T))
    timings.connected = .microseconds(offset(CURLINFO_CONNECT_TIME_T))
    timings.secured = .microseconds(offset(CURLINFO_APPCONNECT_TIME_T))
    timings.firstByte = .microseconds(offset(CURLINFO_STARTTRANSFER_TIME_T))
    timings.total = .microseconds(offset(CURLINFO_TOTAL_TIME_T))
    timings.newConnections = long(CURLINFO_NUM_CONNECTS)
    timings.isResumed = hasResumed && timings.newConnections > 0
    timings.sentBytes = long(CURLINFO_REQUEST_SIZE)
    timings.receivedBytes = long(CURLINFO_HEADER_SIZE) + Int(offset(CURLINFO_SIZE_DOWNLOAD_T))
    return timings
  }

}

extension TransportFailure {
  /// Maps libcurl's codes, https://curl.se/libcurl/c/libcurl-errors.html. `hasSent` distinguishes a request whose first
  /// byte was sent from one that could not be sent.
  init(_ code: CURLcode, systemError: Int, hasSent: Bool) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unresolvable
    case CURLE_COULDNT_CONNECT: self = systemError == Int(ECONNREFUSED) ? .refused : .unreachable
    case CURLE_INTERFACE_FAILED: self = .unreachable
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      self = .tls
    // Without a system error, a frame of the answer was malformed.
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR: self = systemError == 0 ? .protocolError : .reset
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: self = .incomplete
    case CURLE_URL_MALFORMAT: self = .invalidURL
    // Also libcurl's code for an answer without a status line, which it takes for HTTP/0.9.
    case CURLE_UNSUPPORTED_PROTOCOL: self = hasSent ? .protocolError : .invalidURL
    default: self = .protocolError
    }
  }
}
