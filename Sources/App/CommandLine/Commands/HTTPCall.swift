import Glibc
import HTTP1
import Network

/// One request to a server and its answer, over a connection of its own; never longer than some seconds.
struct HTTPCall {
  struct Answer {
    let status: Int
    let body: [UInt8]
  }

  /// Why there is no answer, as a sentence.
  struct Failure: Error {
    let message: String
  }

  private static let patienceSeconds = 5
  private static let answerBytesMax = 1_048_576

  let url: ServerURL

  func get(_ path: String) throws(Failure) -> Answer { try exchange("GET \(path) HTTP/1.1", fields: "", body: []) }

  func post(_ path: String, json: [UInt8]) throws(Failure) -> Answer {
    try exchange("POST \(path) HTTP/1.1", fields: "Content-Type: application/json\r\n", body: json)
  }

  private func exchange(_ line: String, fields: String, body: [UInt8]) throws(Failure) -> Answer {
    let descriptor = try connect()
    defer { _ = close(descriptor) }
    let head = "\(line)\r\nHost: \(url.address)\r\nConnection: close\r\n\(fields)Content-Length: \(body.count)\r\n\r\n"
    try send(Array(head.utf8) + body, over: descriptor)
    return try receive(from: descriptor)
  }

  private func connect() throws(Failure) -> Int32 {
    let isIPv6 = if case .v6 = url.address.host { true } else { false }
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("cannot make a socket") }
    // SO_SNDTIMEO bounds the connect as well (socket(7)).
    var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let result =
      switch url.address.host {
      case .v4(let host): connectIPv4(descriptor, host)
      case .v6(let high, let low): connectIPv6(descriptor, high, low)
      }
    guard result == 0 else {
      let failure = failure("cannot connect to \(url)")
      _ = close(descriptor)
      throw failure
    }
    return descriptor
  }

  private func connectIPv4(_ descriptor: Int32, _ host: UInt32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = url.address.port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return connect(descriptor, to: &address)
  }

  private func connectIPv6(_ descriptor: Int32, _ high: UInt64, _ low: UInt64) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = url.address.port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) {
      unsafe $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return connect(descriptor, to: &address)
  }

  private func connect<Address>(_ descriptor: Int32, to address: inout Address) -> Int32 {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  private func send(_ bytes: [UInt8], over descriptor: Int32) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw failure("\(url) does not accept the request") }
      rest = rest.dropFirst(count)
    }
  }

  private func receive(from descriptor: Int32) throws(Failure) -> Answer {
    var parser = ResponseParser(to: .get)
    var head = ResponseHead()
    var body: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while body.count <= Self.answerBytesMax {
      let count = unsafe recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { throw failure("\(url) did not answer") }
      var taken = 0
      while taken < count {
        let rest = piece.span.extracting(taken..<count)
        let step: MessageStep
        do throws(HTTPError) { step = try parser.next(rest, into: &head) } catch {
          throw Failure(message: "\(url) sent an answer that is not HTTP: \(error.reason)")
        }
        switch step.event {
        case .needMoreInput, .head: break
        case .body(let range): body.append(copying: rest.extracting(range))
        case .end: return Answer(status: head.status, body: body)
        }
        taken += step.taken
      }
      // The end of a message without content needs no further byte.
      do throws(HTTPError) {
        if try parser.next(piece.span.extracting(0..<0), into: &head).event == .end {
          return Answer(status: head.status, body: body)
        }
      } catch { throw Failure(message: "\(url) sent an answer that is not HTTP: \(error.reason)") }
    }
    throw Failure(message: "\(url) sent an answer that does not end")
  }

  private func failure(_ what: String) -> Failure {
    Failure(message: errno == 0 ? what : unsafe "\(what): \(String(cString: strerror(errno)))")
  }
}

/// `http://HOST[:PORT]` of a running server; the host is an IP address or `localhost`.
struct ServerURL: Equatable, CustomStringConvertible {
  let address: SocketAddress

  init?(_ text: String) {
    guard text.hasPrefix("http://") else { return nil }
    var place = text.dropFirst(7)
    if place.hasSuffix("/") { place.removeLast() }
    if place.isEmpty { return nil }
    let hasPort = place.last != "]" && place.contains(":")
    do throws(NetworkError) {
      address = try ListenAddress(parsing: hasPort ? String(place) : place + ":80").address
    } catch {
      return nil
    }
    if address.port == 0 { return nil }
  }

  /// Where a server with this `--listen` is reached from its own machine; nil when only the kernel knows the port.
  init?(listening text: String) throws(UsageError) {
    let listen: ListenAddress
    do throws(NetworkError) { listen = try ListenAddress(parsing: text) } catch { throw UsageError(error.description) }
    guard listen.address.port != 0 else { return nil }
    let host: SocketAddress.Host =
      switch listen.address.host {
      case .v4(0): .v4(0x7F00_0001)
      case .v6(0, 0): listen.takesBothFamilies ? .v4(0x7F00_0001) : .v6(high: 0, low: 1)
      default: listen.address.host
      }
    address = SocketAddress(host: host, port: listen.address.port)
  }

  var description: String { "http://\(address)" }
}
