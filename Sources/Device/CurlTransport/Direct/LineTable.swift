import Base
import CLinux
import Glibc

/// A connection of a device over plain TCP, from the moment it stands until it is closed.
struct Line {
  let device: Int
  /// Host and port.
  let authority: [UInt8]
  /// Nil while it is unused.
  var exchange: LineExchange?
  /// The end of the request's time, or of the idle time.
  var timer: TimerToken?
  /// What epoll waits for.
  var events: UInt32
  /// The device's next unused line; -1: none.
  var next: Int32 = -1
}

/// The lines by their sockets, and which of them wait for a request. A device has one as a rule.
struct LineTable {
  private var lines: [Line?] = []
  /// By device; -1: none.
  private var firstUnused: [Int32] = []
  var timers = TimerQueue<Int32>()

  subscript(socket: Int32) -> Line? {
    get { Int(socket) < lines.count ? lines[Int(socket)] : nil }
  }

  func has(_ socket: Int32) -> Bool { Int(socket) < lines.count && lines[Int(socket)] != nil }

  func exchange(of socket: Int32) -> LineExchange? { lines[Int(socket)]?.exchange }

  mutating func insert(_ line: Line, at socket: Int32) {
    let missing = Int(socket) + 1 - lines.count
    if missing > 0 { lines.append(contentsOf: repeatElement(nil, count: missing)) }
    lines[Int(socket)] = line
  }

  /// Gives the line to a request until its deadline.
  mutating func occupy(_ socket: Int32, with exchange: LineExchange) {
    lines[Int(socket)]?.exchange = exchange
    setTimer(of: socket, at: exchange.deadline)
  }

  /// The request has ended; the line stays for a while.
  mutating func release(_ socket: Int32, until instant: MonotonicInstant) {
    guard let device = lines[Int(socket)]?.device else { return }
    let missing = device + 1 - firstUnused.count
    if missing > 0 { firstUnused.append(contentsOf: repeatElement(-1, count: missing)) }
    lines[Int(socket)]?.exchange = nil
    lines[Int(socket)]?.next = firstUnused[device]
    firstUnused[device] = socket
    setTimer(of: socket, at: instant)
  }

  /// Notes what epoll waits for now; false when that is nothing new.
  mutating func setEvents(of socket: Int32, to events: UInt32) -> Bool {
    guard lines[Int(socket)]?.events != events else { return false }
    lines[Int(socket)]?.events = events
    return true
  }

  /// Takes a line of the device to that server that waits for a request.
  mutating func takeUnused(of device: Int, to authority: [UInt8]) -> Int32? {
    var socket = device < firstUnused.count ? firstUnused[device] : -1
    while socket >= 0, let line = lines[Int(socket)] {
      if line.authority == authority {
        unlink(socket, of: device)
        return socket
      }
      socket = line.next
    }
    return nil
  }

  /// Forgets a line that is about to be closed.
  mutating func remove(_ socket: Int32) {
    guard let line = lines[Int(socket)] else { return }
    if let timer = line.timer { timers.cancel(timer) }
    if line.exchange == nil { unlink(socket, of: line.device) }
    lines[Int(socket)] = nil
  }

  var sockets: [Int32] { lines.indices.filter { lines[$0] != nil }.map { Int32($0) } }

  func unused(of device: Int) -> [Int32] {
    var sockets: [Int32] = []
    var socket = device < firstUnused.count ? firstUnused[device] : -1
    while socket >= 0 {
      sockets.append(socket)
      socket = lines[Int(socket)]?.next ?? -1
    }
    return sockets
  }

  private mutating func setTimer(of socket: Int32, at instant: MonotonicInstant) {
    if let timer = lines[Int(socket)]?.timer, timers.reschedule(timer, at: instant) { return }
    lines[Int(socket)]?.timer = timers.schedule(at: instant, socket)
  }

  /// Out of the list of the device's unused lines, if it is there.
  private mutating func unlink(_ socket: Int32, of device: Int) {
    guard device < firstUnused.count else { return }
    let next = lines[Int(socket)]?.next ?? -1
    if firstUnused[device] == socket {
      firstUnused[device] = next
    } else {
      var before = firstUnused[device]
      while before >= 0, let line = lines[Int(before)], line.next != socket { before = line.next }
      if before >= 0 { lines[Int(before)]?.next = next }
    }
    lines[Int(socket)]?.next = -1
  }
}
