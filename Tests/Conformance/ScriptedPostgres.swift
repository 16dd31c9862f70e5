import Base
import Glibc
import Synchronization
import Threads

/// A server of PostgreSQL's protocol (https://www.postgresql.org/docs/15/protocol-message-formats.html) on this machine
/// that answers every query with the same rows, or with what a test wants instead. It keeps the texts that it was asked.
final class ScriptedPostgres: Sendable {
  enum Behaviour: Sendable {
    /// A column is a name and the OID of its type.
    case rows([[String?]], columns: [(String, UInt32)])
    /// The query fails with these words.
    case fails(String)
    /// Nobody may connect, for this reason.
    case refuses(String)
    /// The query is never answered.
    case isSilent
  }

  let port: UInt16
  private let listener: Int32
  private let thread: NamedThread
  private let asked: Box

  private final class Box: Sendable {
    let texts = Mutex<[String]>([])
    let connections = Atomic(0)
  }

  init(_ behaviour: Behaviour) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let result = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard unsafe bind(descriptor, address, size) == 0, listen(descriptor, 16) == 0 else { return Int32(-1) }
        return unsafe getsockname(descriptor, address, &size)
      }
    }
    guard result == 0 else { throw Failure() }
    port = UInt16(bigEndian: address.sin_port)
    let box = Box()
    asked = box
    thread = NamedThread.started("postgres") {
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        box.connections.add(1, ordering: .relaxed)
        Conversation(client, behaviour) { text in box.texts.withLock { $0.append(text) } }.hold()
        close(client)
      }
    }
  }

  /// Ends when its clients have gone.
  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    thread.join()
    close(listener)
  }

  struct Failure: Error {}

  var connections: Int { asked.connections.load(ordering: .relaxed) }
  var texts: [String] { asked.texts.withLock { $0 } }
}

/// One client, to its end.
private struct Conversation {
  let client: Int32
  let behaviour: ScriptedPostgres.Behaviour
  let note: (String) -> Void

  init(_ client: Int32, _ behaviour: ScriptedPostgres.Behaviour, _ note: @escaping (String) -> Void) {
    (self.client, self.behaviour, self.note) = (client, behaviour, note)
  }

  func hold() {
    guard begin() else { return }
    while let (kind, body) = message() {
      switch kind {
      case "Q":
        let text = String(decoding: body.dropLast(), as: UTF8.self)
        note(text)
        for statement in text.split(separator: ";") {
          send("C", [UInt8](statement.split(separator: " ").first.map(String.init)?.utf8 ?? "".utf8) + [0])
        }
        send("Z", [UInt8(ascii: "T")])
      case "P":
        note(String(decoding: body.dropFirst().prefix { $0 != 0 }, as: UTF8.self))
        send("1", [])
      case "B": send("2", [])
      case "D": describe()
      case "E": if !execute() { return wait() }
      case "S": send("Z", [UInt8(ascii: "T")])
      default: return
      }
    }
  }

  /// Requests for encryption are refused, then the client says who it is.
  private func begin() -> Bool {
    while let length = number(), let code = number(), receive(Int(length) - 8) != nil {
      guard code == 196_608 else {
        write([UInt8(ascii: "N")])
        continue
      }
      if case .refuses(let reason) = behaviour {
        fail(reason)
        return false
      }
      send("R", [0, 0, 0, 0])
      send("Z", [UInt8(ascii: "I")])
      return true
    }
    return false
  }

  private func describe() {
    guard case .rows(_, let columns) = behaviour else { return send("n", []) }
    var body = short(columns.count)
    for column in columns {
      body +=
        Array(column.0.utf8) + [0] + long(0) + short(0) + long(column.1) + short(0xFFFF) + long(UInt32.max) + short(0)
    }
    send("T", body)
  }

  private func execute() -> Bool {
    switch behaviour {
    case .rows(let rows, columns: _):
      for row in rows {
        var body = short(row.count)
        for value in row { body += value.map { long(UInt32($0.utf8.count)) + Array($0.utf8) } ?? long(UInt32.max) }
        send("D", body)
      }
      send("C", Array("SELECT \(rows.count)".utf8) + [0])
    case .fails(let reason): fail(reason)
    case .refuses: break
    case .isSilent: return false
    }
    return true
  }

  private func fail(_ reason: String) {
    let fields = [("S", "ERROR"), ("C", "42601"), ("M", reason)]
    send("E", fields.flatMap { kind, text in Array("\(kind)\(text)\0".utf8) } + [0])
  }

  /// Until the client has gone.
  private func wait() { while receive(1) != nil {} }

  private func message() -> (Character, [UInt8])? {
    guard let kind = receive(1)?.first, let length = number(), let body = receive(Int(length) - 4) else { return nil }
    return (Character(UnicodeScalar(kind)), body)
  }

  private func number() -> UInt32? { receive(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } } }

  private func receive(_ count: Int) -> [UInt8]? {
    guard count >= 0 else { return nil }
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let length = unsafe recv(client, &piece, piece.count, 0)
      guard length > 0 else { return nil }
      bytes += piece[..<length]
    }
    return bytes
  }

  private func send(_ kind: Character, _ body: [UInt8]) {
    write([kind.asciiValue ?? 0] + long(UInt32(body.count + 4)) + body)
  }

  private func write(_ bytes: [UInt8]) { _ = unsafe Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  private func short(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  private func long(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
  }
}
