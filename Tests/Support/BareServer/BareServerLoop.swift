import CLinux
import Glibc
import Synchronization

/// The thread of a bare server.
final class BareServerLoop: @unchecked Sendable {
  private struct Client {
    let number: Int
    let peer: String
    var input: [UInt8] = []
    var output: [UInt8] = []
    /// Pieces that wait for their time, the next one last.
    var pieces: [[UInt8]] = []
    var pause: Int64 = 0
    var due: Int64 = 0
    var ending: Ending = .none
  }

  private enum Ending {
    case none, close, reset
  }

  let port: UInt16
  let wakeUp: Int32
  private let listener: Int32
  private let respond: (BareServer.Request) -> BareServer.Answer
  private let observations: ObservationBox
  private let isHasty: Bool
  /// The next connection has its turn when this one has ended.
  private let isSerial: Bool
  private var clients: [Int32: Client] = [:]

  init(
    _ observations: ObservationBox, isHasty: Bool, isSerial: Bool,
    _ respond: @escaping (BareServer.Request) -> BareServer.Answer
  ) throws(LoopbackClient.Failure) {
    self.observations = observations
    self.respond = respond
    self.isHasty = isHasty
    self.isSerial = isSerial
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    listener = socket(AF_INET, type, 0)
    wakeUp = rr_eventfd()
    guard listener >= 0 && wakeUp >= 0 else { throw LoopbackClient.Failure(call: "socket", code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_ANY).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let result = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard unsafe bind(listener, address, size) == 0, listen(listener, 4_096) == 0 else { return Int32(-1) }
        return unsafe getsockname(listener, address, &size)
      }
    }
    guard result == 0 else { throw LoopbackClient.Failure(call: "bind", code: errno) }
    port = UInt16(bigEndian: address.sin_port)
  }

  func run() {
    while true {
      let numbers = clients.keys.sorted()
      var watched = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
      let isBusy = isSerial && !clients.isEmpty
      watched.append(pollfd(fd: listener, events: isBusy ? 0 : Int16(POLLIN), revents: 0))
      for number in numbers {
        let wantsToWrite = clients[number]?.output.isEmpty == false
        let events = Int16(POLLIN) | (wantsToWrite ? Int16(POLLOUT) : 0)
        watched.append(pollfd(fd: number, events: events, revents: 0))
      }
      let due = clients.values.filter { !$0.pieces.isEmpty }.map(\.due).min()
      let timeout = due.map { Int32(clamping: max(0, $0 - now)) } ?? -1
      _ = unsafe poll(&watched, nfds_t(watched.count), timeout)
      if watched[0].revents != 0 { break }
      if watched[1].revents != 0 { while accept(), !isSerial {} }
      for entry in watched.dropFirst(2) where entry.revents != 0 { read(entry.fd) }
      for number in numbers { advance(number) }
    }
    for number in clients.keys.sorted() { close(number) }
    close(listener)
  }

  private var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// False when no request waits.
  private func accept() -> Bool {
    var storage = sockaddr_storage()
    let number = unsafe rr_accept(listener, &storage)
    guard number >= 0 else { return false }
    let address = unsafe withUnsafeBytes(of: &storage) { unsafe $0.load(as: sockaddr_in.self) }
    let host = UInt32(bigEndian: address.sin_addr.s_addr)
    let peer = "\(host >> 24).\(host >> 16 & 255).\(host >> 8 & 255).\(host & 255)"
    let index = observations.change { observations in
      defer { observations.opened += 1 }
      return observations.opened
    }
    clients[number] = Client(number: index, peer: peer)
    return true
  }

  private func read(_ number: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(number, &buffer, buffer.count, 0)
    if count > 0 {
      clients[number]?.input.append(contentsOf: buffer.prefix(count))
    } else if count == 0 || errno != EAGAIN {
      observations.change { $0.ended += 1 }
      forget(number)
    }
  }

  /// Answers what is whole, and sends what is due.
  private func advance(_ number: Int32) {
    while let request = takeRequest(number) {
      observations.change { $0.requests.append(request) }
      answer(number, respond(request))
    }
    guard var client = clients[number] else { return }
    if !client.pieces.isEmpty && client.due <= now {
      client.output += client.pieces.removeLast()
      client.due = now + client.pause
    }
    if !client.output.isEmpty {
      let sent = unsafe send(number, client.output, client.output.count, Int32(MSG_NOSIGNAL))
      if sent > 0 { client.output.removeFirst(sent) }
      if sent < 0 && errno != EAGAIN { client.output = [] }
    }
    clients[number] = client
    guard client.output.isEmpty && client.ending != .none else { return }
    if client.ending == .reset {
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
    forget(number)
  }

  private func answer(_ number: Int32, _ answer: BareServer.Answer) {
    switch answer {
    case .keep(let bytes): clients[number]?.output += bytes
    case .close(let bytes):
      clients[number]?.output += bytes
      clients[number]?.ending = .close
    case .reset(let bytes):
      clients[number]?.output += bytes
      clients[number]?.ending = .reset
    case .trickle(let pieces, let pause):
      clients[number]?.pieces = pieces.reversed()
      clients[number]?.pause = pause
      clients[number]?.due = now + pause
    case .silence: break
    }
  }

  private func forget(_ number: Int32) {
    clients[number] = nil
    close(number)
  }

  private func takeRequest(_ number: Int32) -> BareServer.Request? {
    guard let client = clients[number], client.ending == .none else { return nil }
    let end: [UInt8] = [13, 10, 13, 10]
    guard let head = client.input.firstRange(of: end) else { return nil }
    let lines = String(decoding: client.input[..<head.lowerBound], as: UTF8.self)
      .split(separator: "\r\n").map(String.init)
    func request(_ body: [UInt8]) -> BareServer.Request {
      BareServer.Request(connection: client.number, peer: client.peer, lines: lines, body: body)
    }
    let length =
      isHasty ? 0 : request([]).values(of: "content-length").first.flatMap { Int($0).map { max($0, 0) } } ?? 0
    guard client.input.count >= head.upperBound + length else { return nil }
    clients[number]?.input.removeFirst(head.upperBound + length)
    return request(Array(client.input[head.upperBound..<head.upperBound + length]))
  }
}
