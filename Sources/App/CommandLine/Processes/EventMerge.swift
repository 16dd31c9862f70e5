import Glibc
import JSON

/// Merges the events of shards into those of one run, ordered by time and then by device. Files may be larger than memory.
struct EventMerge {
  private var sources: [Source] = []

  /// `fleets` has the names in the order of the scenario.
  init(_ paths: [String], fleets: [String]) throws(OutputFolder.Failure) {
    let numbers = Dictionary(uniqueKeysWithValues: fleets.enumerated().map { ($1, $0) })
    for path in paths { sources.append(try Source(path, numbers)) }
  }

  /// Passes all lines in order, in large pieces.
  mutating func write(_ take: ([UInt8]) -> Void) throws(OutputFolder.Failure) {
    var piece: [UInt8] = []
    while let next = sources.indices.filter({ !sources[$0].isOver }).min(by: { sources[$0].key < sources[$1].key }) {
      piece += sources[next].line
      try sources[next].advance()
      if piece.count >= 1 << 16 {
        take(piece)
        piece = []
      }
    }
    if !piece.isEmpty { take(piece) }
  }

  /// Nil for invalid JSON.
  private static func event(_ line: ArraySlice<UInt8>) -> JSONValue? {
    do { return try JSONValue(parsing: Array(line).span) } catch { return nil }
  }

  /// The time and the device of an event.
  private struct Key: Comparable {
    var seconds = 0.0
    /// Whether it is after the end of the drives, whose events precede the turns of that instant.
    var isAfterDrives = false
    var fleet = 0
    var number = 0

    static func < (left: Key, right: Key) -> Bool {
      if left.seconds != right.seconds { return left.seconds < right.seconds }
      if left.isAfterDrives != right.isAfterDrives { return right.isAfterDrives }
      return (left.fleet, left.number) < (right.fleet, right.number)
    }
  }

  /// One file, read from its beginning.
  private struct Source {
    private let path: String
    private let descriptor: Int32
    private let fleets: [String: Int]
    private var unread: ArraySlice<UInt8> = []
    private var isAfterDrives = false
    private(set) var line: ArraySlice<UInt8> = []
    private(set) var key = Key()
    private(set) var isOver = false

    init(_ path: String, _ fleets: [String: Int]) throws(OutputFolder.Failure) {
      (self.path, self.fleets) = (path, fleets)
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure("cannot be read: \(Descriptor.reason(errno))") }
      try advance()
    }

    mutating func advance() throws(OutputFolder.Failure) {
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          line = unread[...end]
          unread = unread[(end + 1)...]
          if line.count > 1 { return key = try key(of: line.dropLast()) }
          isAfterDrives = true
          continue
        }
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        let count = unsafe read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw failure("cannot be read: \(Descriptor.reason(errno))") }
        guard count > 0 else { break }
        unread = ArraySlice(Array(unread) + piece[..<count])
      }
      guard unread.isEmpty else { throw failure("ends within a line") }
      close(descriptor)
      isOver = true
    }

    private func key(of line: ArraySlice<UInt8>) throws(OutputFolder.Failure) -> Key {
      guard let event = EventMerge.event(line), case .string(let device)? = event["device"],
        let dash = device.lastIndex(of: "-")
      else { throw failure("has a line that is not an event: \(String(decoding: line.prefix(80), as: UTF8.self))") }
      let seconds: Double
      switch event["seconds"] {
      case .double(let number)?: seconds = number
      case .integer(let number)?: seconds = Double(number)
      default: throw failure("has an event without a time")
      }
      return Key(
        seconds: seconds, isAfterDrives: isAfterDrives, fleet: fleets[String(device[..<dash])] ?? 0,
        number: Int(device[device.index(after: dash)...]) ?? 0)
    }

    private func failure(_ what: String) -> OutputFolder.Failure {
      OutputFolder.Failure(description: "the events of a shard, \(path): the file \(what)")
    }
  }
}
