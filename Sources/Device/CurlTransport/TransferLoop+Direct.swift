import Base
import CCurl
import CLinux
import Glibc
import HTTP1
import Upload

/// Plain HTTP of phones without libcurl's implementation, which takes three times the processor time of the rest of a
/// phone's upload (docs/decisions/0018): libcurl resolves names and connects, then hands over the connection.
extension TransferLoop {
  /// Returns false when libcurl must send the request.
  func beginDirectly(_ request: OutgoingRequest, device: Int) -> Bool {
    guard configuration.isDirect, configuration.connections == .mobile, configuration.proxy == nil,
      let form = form(of: request, device: device)
    else { return false }
    let exchange = DirectExchange(request, form, device: device, configuration, now: now)
    guard let socket = connections.takeUnused(of: device, to: form.authority) else {
      connect(exchange)
      return true
    }
    exchange.isOnReusedConnection = true
    give(exchange, to: socket)
    return true
  }

  /// Returns the form of the device's last request if it fits, which is usual.
  private func form(of request: OutgoingRequest, device: Int) -> DirectForm? {
    if device < forms.count, let form = forms[device], form.fits(request) { return form }
    guard let form = DirectForm(request) else { return nil }
    if device >= forms.count { forms.append(contentsOf: repeatElement(nil, count: device + 1 - forms.count)) }
    forms[device] = form
    return form
  }

  /// Handles the success or failure of a connection attempt.
  func endConnecting(_ transfer: Transfer, _ exchange: DirectExchange, _ failure: RequestOutcome?) {
    let timings = transfer.timings
    exchange.timings.nameResolved = timings.nameResolved
    exchange.timings.connected = timings.connected
    exchange.timings.newConnections += timings.newConnections
    detach(transfer, of: exchange.key)
    let socket = transfer.endConnection()
    if connectors.count < TransferLoop.freeTransfers { connectors.append(transfer) }
    if let failure {
      if socket >= 0 { _ = Glibc.close(socket) }
      exchange.timings.total = now - exchange.begun
      report(exchange, failure)
    } else {
      precondition(socket >= 0, "libcurl hands over what it has connected")
      adopt(socket, for: exchange)
    }
  }

  private func connect(_ exchange: DirectExchange) {
    guard let transfer = connectors.popLast() ?? makeTransfer(isConnector: true) else {
      preconditionFailure("out of memory")
    }
    transfer.prepareConnection(for: exchange, from: source(of: exchange.device), now: now)
    attach(transfer, of: exchange.key)
  }

  private func adopt(_ socket: Int32, for exchange: DirectExchange) {
    guard rr_epoll_add(sockets.epoll, socket, EPOLLIN.rawValue, UInt64(socket)) == 0 else {
      preconditionFailure("epoll_ctl failed with errno \(errno)")
    }
    connections.insert(
      DirectConnection(device: exchange.device, authority: exchange.form.authority, events: EPOLLIN.rawValue),
      at: socket)
    exchange.isOnReusedConnection = false
    give(exchange, to: socket)
  }

  private func give(_ exchange: DirectExchange, to socket: Int32) {
    let former = socketOf.updateValue(socket, forKey: exchange.key)
    precondition(former == nil, "a request in flight has an id of its own")
    connections.occupy(socket, with: exchange)
    send(exchange, over: socket)
  }

  /// Handles an epoll event of a connection.
  func advanceConnection(_ socket: Int32, _ events: UInt32) {
    guard let exchange = connections.exchange(of: socket) else {
      // An unused connection can only end.
      return hangUp(socket)
    }
    if events & EPOLLOUT.rawValue != 0, exchange.sent < exchange.message.count { send(exchange, over: socket) }
    if events & ~EPOLLOUT.rawValue != 0, connections.exchange(of: socket) === exchange {
      receive(exchange, over: socket)
    }
  }

  /// Handles timeouts: fails requests, closes unused connections.
  func expireConnections() {
    while let (_, socket) = connections.timers.popDue(now) {
      if let exchange = connections.exchange(of: socket) {
        let span = (exchange.deadline - exchange.begun).wholeMilliseconds
        fail(exchange, over: socket, .timeout, "no whole answer within \(span) ms")
      } else {
        hangUp(socket)
      }
    }
  }

  func cancelDirect(_ key: RequestKey) {
    guard let socket = socketOf[key], let exchange = connections.exchange(of: socket) else { return }
    fail(exchange, over: socket, .cancelled, "cancelled")
  }

  func hangUp(_ socket: Int32) {
    connections.remove(socket)
    _ = Glibc.close(socket)
  }

  private func send(_ exchange: DirectExchange, over socket: Int32) {
    let bytes = exchange.message
    while exchange.sent < bytes.count {
      let count = unsafe bytes[exchange.sent...].withUnsafeBytes {
        unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        // The server may have answered before it closed the connection.
        return receive(exchange, over: socket)
      }
      exchange.sent += count
    }
    exchange.timings.sentBytes = exchange.sent
    wait(socket, for: exchange.sent < bytes.count ? EPOLLIN.rawValue | EPOLLOUT.rawValue : EPOLLIN.rawValue)
  }

  private func wait(_ socket: Int32, for events: UInt32) {
    guard connections.setEvents(of: socket, to: events) else { return }
    let result = rr_epoll_modify(sockets.epoll, socket, events, UInt64(socket))
    precondition(result == 0, "epoll_ctl failed with errno \(errno)")
  }

  private func receive(_ exchange: DirectExchange, over socket: Int32) {
    while true {
      let count = unsafe input.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { return lose(exchange, over: socket, code: count < 0 ? errno : 0) }
      switch exchange.take(input.span.extracting(0..<count), into: &answerHead, now: now) {
      case .more: if count < input.count { return }
      case .ended(let outcome, let canStay): return end(exchange, over: socket, outcome, canStay: canStay)
      }
    }
  }

  /// Handles the end of a connection, by close (0) or error. On a reused one the close may have been in flight before the
  /// request: the request is sent again, as every client does (RFC 9112 §9.3.1, and libcurl).
  private func lose(_ exchange: DirectExchange, over socket: Int32, code: Int32) {
    guard !exchange.isOnReusedConnection || exchange.hasAnswerBegun else {
      exchange.sent = 0
      exchange.timings.repetitions += 1
      hangUp(socket)
      socketOf[exchange.key] = nil
      return connect(exchange)
    }
    if code == 0 {
      end(exchange, over: socket, exchange.finish(), canStay: false)
    } else {
      fail(exchange, over: socket, .reset, unsafe "the connection failed: \(String(cString: strerror(code)))")
    }
  }

  private func fail(_ exchange: DirectExchange, over socket: Int32, _ failure: TransportFailure, _ message: String) {
    end(exchange, over: socket, .failed(failure, message: message), canStay: false)
  }

  private func end(_ exchange: DirectExchange, over socket: Int32, _ outcome: RequestOutcome, canStay: Bool) {
    if canStay { connections.release(socket, until: now + configuration.idleTime) } else { hangUp(socket) }
    exchange.timings.total = now - exchange.begun
    report(exchange, outcome)
  }

  private func report(_ exchange: DirectExchange, _ outcome: RequestOutcome) {
    socketOf[exchange.key] = nil
    completions.append(
      TransportCompletion(
        device: exchange.device, id: exchange.id, outcome: outcome, timings: exchange.timings, head: exchange.head))
  }
}

/// A handle that only connects (https://curl.se/libcurl/c/CURLOPT_CONNECT_ONLY.html), and whose connections stay open
/// when libcurl is finished with them.
extension Transfer {
  func configureAsConnector() {
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_FRESH_CONNECT, 1)
    // libcurl closes a connection after use at once instead of caching it.
    set(CURLOPT_FORBID_REUSE, 1)
  }

  /// libcurl first closes the sockets of failed attempts, and last the connected one.
  func keepSockets() {
    unsafe set(CURLOPT_CLOSESOCKETDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    let close = unsafe rr_curl_set_close_callback(easy) { user, socket in
      unsafe Transfer.of(user).keep(socket)
      return 0
    }
    accepted(CURLOPT_CLOSESOCKETFUNCTION, close)
  }

  func prepareConnection(for exchange: DirectExchange, from source: String?, now: MonotonicInstant) {
    (self.exchange, device) = (exchange, exchange.device)
    handedOver = -1
    unsafe errorText.pointee = 0
    set(CURLOPT_URL, "http://\(String(decoding: exchange.form.authority, as: UTF8.self))/")
    set(CURLOPT_TIMEOUT_MS, max(1, Int((exchange.deadline - now).wholeMilliseconds)))
    if let source { set(CURLOPT_INTERFACE, "host!\(source)") }
  }

  /// Returns the connected socket, if there is one.
  func endConnection() -> Int32 {
    defer { (exchange, handedOver) = (nil, -1) }
    return handedOver
  }

  private func keep(_ socket: Int32) {
    loop.sockets.forget(socket)
    if handedOver >= 0 { _ = Glibc.close(handedOver) }
    handedOver = socket
  }
}

/// A plain HTTP URL whose parts can be sent unchanged. URLs that libcurl would normalize (dots in the path, a default
/// port, a fragment, a name that is not ASCII) are left to libcurl.
struct PlainURL {
  /// Host and port, as a range of the URL's bytes.
  let authority: Range<Int>
  /// Path and query; empty for `/`.
  let target: Range<Int>

  private static let lengthMax = 8_192

  init?(_ url: Span<UInt8>) {
    let scheme: StaticString = "http://"
    guard url.count > scheme.utf8CodeUnitCount, url.count <= PlainURL.lengthMax else { return nil }
    for index in 0..<scheme.utf8CodeUnitCount where url[index] != PlainURL.byte(scheme, index) { return nil }
    let start = scheme.utf8CodeUnitCount
    var end = start
    while end < url.count, PlainURL.isOfHost(url[end]) { end += 1 }
    guard end > start, url[start] != UInt8(ascii: ":"), end == url.count || url[end] == UInt8(ascii: "/") else {
      return nil
    }
    guard PlainURL.hasPlainPort(url.extracting(start..<end)) else { return nil }
    for index in end..<url.count {
      let byte = url[index]
      guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { return nil }
      if byte == UInt8(ascii: "."), url[index - 1] == UInt8(ascii: "/") { return nil }
    }
    authority = start..<end
    target = end..<url.count
  }

  /// Accepts lower-case names, numbers, and IPv6 addresses in brackets; no percent sign, no user.
  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }

  /// Whether there is no port, or one as libcurl sends it: not the default one, and without zeros in front.
  private static func hasPlainPort(_ authority: Span<UInt8>) -> Bool {
    var start = authority.count
    while start > 0, UInt8(ascii: "0")...UInt8(ascii: "9") ~= authority[start - 1] { start -= 1 }
    guard start > 0, authority[start - 1] == UInt8(ascii: ":") else { return true }
    guard start < authority.count, authority[start] != UInt8(ascii: "0") else { return false }
    return authority.count - start != 2 || authority[start] != UInt8(ascii: "8")
      || authority[start + 1] != UInt8(ascii: "0")
  }

  private static func byte(_ text: StaticString, _ index: Int) -> UInt8 { unsafe text.utf8Start[index] }
}
