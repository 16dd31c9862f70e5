import Base

/// A connection of a device that libcurl has made and left to the loop.
struct DirectConnection {
  let device: Int
  /// Host and port.
  let authority: [UInt8]
  /// Nil while it is unused.
  var exchange: DirectExchange?
  /// The timeout of the request, or the idle timeout.
  var timer: TimerToken?
  /// The events registered with epoll.
  var events: UInt32
  /// The device's next unused connection; -1: none.
  var next: Int32 = -1
}

/// The direct connections by socket, and which of them are unused. A device usually has one.
struct DirectConnections {
  private var bySocket: [DirectConnection?] = []
  /// By device; -1: none.
  private var firstUnused: [Int32] = []
  var timers = TimerQueue<Int32>()
  /// The number of connections.
  private(set) var count = 0

  subscript(socket: Int32) -> DirectConnection? {
    get { Int(socket) < bySocket.count ? bySocket[Int(socket)] : nil }
  }

  func has(_ socket: Int32) -> Bool { Int(socket) < bySocket.count && bySocket[Int(socket)] != nil }

  func exchange(of socket: Int32) -> DirectExchange? { bySocket[Int(socket)]?.exchange }

  mutating func insert(_ connection: DirectConnection, at socket: Int32) {
    let missing = Int(socket) + 1 - bySocket.count
    if missing > 0 { bySocket.append(contentsOf: repeatElement(nil, count: missing)) }
    if !has(socket) { count += 1 }
    bySocket[Int(socket)] = connection
  }

  /// Assigns the connection to a request until its deadline.
  mutating func occupy(_ socket: Int32, with exchange: DirectExchange) {
    bySocket[Int(socket)]?.exchange = exchange
    setTimer(of: socket, at: exchange.deadline)
  }

  /// Marks the connection as unused; it stays open for a while.
  mutating func release(_ socket: Int32, until instant: MonotonicInstant) {
    guard let device = bySocket[Int(socket)]?.device else { return }
    let missing = device + 1 - firstUnused.count
    if missing > 0 { firstUnused.append(contentsOf: repeatElement(-1, count: missing)) }
    bySocket[Int(socket)]?.exchange = nil
    bySocket[Int(socket)]?.next = firstUnused[device]
    firstUnused[device] = socket
    setTimer(of: socket, at: instant)
  }

  /// Records the events registered with epoll; returns false when they are unchanged.
  mutating func setEvents(of socket: Int32, to events: UInt32) -> Bool {
    guard bySocket[Int(socket)]?.events != events else { return false }
    bySocket[Int(socket)]?.events = events
    return true
  }

  /// Takes an unused connection of the device to that server.
  mutating func takeUnused(of device: Int, to authority: [UInt8]) -> Int32? {
    var socket = device < firstUnused.count ? firstUnused[device] : -1
    while socket >= 0, let connection = bySocket[Int(socket)] {
      if connection.authority == authority {
        unlink(socket, of: device)
        return socket
      }
      socket = connection.next
    }
    return nil
  }

  /// Removes a connection that is about to be closed.
  mutating func remove(_ socket: Int32) {
    guard let connection = bySocket[Int(socket)] else { return }
    if let timer = connection.timer { timers.cancel(timer) }
    if connection.exchange == nil { unlink(socket, of: connection.device) }
    bySocket[Int(socket)] = nil
    count -= 1
  }

  var sockets: [Int32] { bySocket.indices.filter { bySocket[$0] != nil }.map { Int32($0) } }

  func unused(of device: Int) -> [Int32] {
    var sockets: [Int32] = []
    var socket = device < firstUnused.count ? firstUnused[device] : -1
    while socket >= 0 {
      sockets.append(socket)
      socket = bySocket[Int(socket)]?.next ?? -1
    }
    return sockets
  }

  private mutating func setTimer(of socket: Int32, at instant: MonotonicInstant) {
    if let timer = bySocket[Int(socket)]?.timer, timers.reschedule(timer, at: instant) { return }
    bySocket[Int(socket)]?.timer = timers.schedule(at: instant, socket)
  }

  /// Removes the connection from the device's unused ones, if it is there.
  private mutating func unlink(_ socket: Int32, of device: Int) {
    guard device < firstUnused.count else { return }
    let next = bySocket[Int(socket)]?.next ?? -1
    if firstUnused[device] == socket {
      firstUnused[device] = next
    } else {
      var before = firstUnused[device]
      while before >= 0, let connection = bySocket[Int(before)], connection.next != socket { before = connection.next }
      if before >= 0 { bySocket[Int(before)]?.next = next }
    }
    bySocket[Int(socket)]?.next = -1
  }
}
