import Support
import Synchronization

/// A message of protocol buffers, taken apart by its wire format alone.
struct AnyMessage {
  enum Value {
    case varint(UInt64)
    case word(UInt64)
    case bytes([UInt8])
  }

  struct Malformed: Error {}

  private(set) var fields: [(number: Int, value: Value)] = []

  init(_ bytes: [UInt8]) throws {
    var position = 0
    func varint() throws -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while true {
        guard position < bytes.count, shift < 64 else { throw Malformed() }
        let byte = bytes[position]
        position += 1
        value |= UInt64(byte & 127) << shift
        if byte < 128 { return value }
        shift += 7
      }
    }
    while position < bytes.count {
      let tag = try varint()
      switch tag & 7 {
      case 0: fields.append((Int(tag >> 3), .varint(try varint())))
      case 1:
        guard position + 8 <= bytes.count else { throw Malformed() }
        let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
        fields.append((Int(tag >> 3), .word(word)))
        position += 8
      case 2:
        let length = Int(try varint())
        guard position + length <= bytes.count else { throw Malformed() }
        fields.append((Int(tag >> 3), .bytes(Array(bytes[position..<position + length]))))
        position += length
      default: throw Malformed()
      }
    }
  }

  func all(_ number: Int) -> [Value] { fields.filter { $0.number == number }.map(\.value) }

  func messages(_ path: Int...) throws -> [AnyMessage] {
    try path.reduce([self]) { messages, number in
      try messages.flatMap { message in
        try message.all(number).map { value in
          guard case .bytes(let bytes) = value else { throw Malformed() }
          return try AnyMessage(bytes)
        }
      }
    }
  }

  func bytes(_ number: Int) -> [UInt8]? { if case .bytes(let bytes)? = all(number).last { bytes } else { nil } }
  func text(_ number: Int) -> String { String(decoding: bytes(number) ?? [], as: UTF8.self) }

  func number(_ number: Int) -> UInt64? {
    switch all(number).last {
    case .varint(let value)?, .word(let value)?: value
    case .bytes?, nil: nil
    }
  }

  /// Of `repeated KeyValue` with texts and integers.
  func attributes(_ number: Int) throws -> [String: String] {
    var found: [String: String] = [:]
    for pair in try messages(number) {
      let value = try pair.messages(2).first
      found[pair.text(1)] =
        value?.bytes(1).map { String(decoding: $0, as: UTF8.self) } ?? value?.number(3).map { "\($0)" }
    }
    return found
  }
}

/// Takes everything, at once.
final class Receiver: Sendable {
  private let server: BareServer

  init() throws { server = try BareServer { _ in .ok() } }

  var url: String { String(server.url.dropLast()) }

  func bodies(at path: String) -> [[UInt8]] {
    server.requests.filter { $0.lines[0].split(separator: " ")[1] == path }.map(\.body)
  }

  func headers(_ name: String) -> Set<String> { Set(server.requests.flatMap { $0.values(of: name) }) }
}
