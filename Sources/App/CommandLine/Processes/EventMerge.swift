import Glibc
import JSON

/// The events of shards as those of one run: in the order of time, and of one instant in that of the devices. Files may be
/// larger than memory.
struct EventMerge {
  /// One file, read from its beginning.
  private struct Source {
    private let descriptor: Int32
    private let fleets: [String: Int]
    private var unread: ArraySlice<UInt8> = []
    private(set) var line: ArraySlice<UInt8> = []
    private(set) var key = Key()
    private(set) var isOver = false

    init(_ path: String, _ fleets: [String: Int]) throws(OutputFolder.Failure) {
      self.fleets = fleets
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw OutputFolder.Failure(description: "cannot read \(path)") }
      advance()
    }

    mutating func advance() {
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          line = unread[...end]
          unread = unread[(end + 1)...]
          key = Key(line.dropLast(), fleets)
          return
        }
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        let count = unsafe read(descriptor, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return close() }
        unread = ArraySlice(Array(unread) + piece[..<count])
      }
    }

    mutating func close() {
      if !isOver { Glibc.close(descriptor) }
      isOver = true
    }
  }

  /// When and to which device it happened.
  private struct Key: Comparable {
    var seconds = 0.0
    var fleet = 0
    var number = 0

    init() {}

    init(_ line: ArraySlice<UInt8>, _ fleets: [String: Int]) {
      do {
        let event = try JSONValue(parsing: Array(line).span)
        seconds =
          switch event["seconds"] {
          case .double(let seconds)?: seconds
          case .integer(let seconds)?: Double(seconds)
          default: 0
          }
        guard case .string(let device)? = event["device"], let dash = device.lastIndex(of: "-") else { return }
        fleet = fleets[String(device[..<dash])] ?? 0
        number = Int(device[device.index(after: dash)...]) ?? 0
      } catch { preconditionFailure("a shard has written an event that is no JSON: \(error)") }
    }

    static func < (left: Key, right: Key) -> Bool {
      (left.seconds, left.fleet, left.number) < (right.seconds, right.fleet, right.number)
    }
  }

  private var sources: [Source] = []

  /// `fleets` has the names in the order of the scenario.
  init(_ paths: [String], fleets: [String]) throws(OutputFolder.Failure) {
    let numbers = Dictionary(uniqueKeysWithValues: fleets.enumerated().map { ($1, $0) })
    for path in paths { sources.append(try Source(path, numbers)) }
  }

  /// Gives all lines in their order, many at once.
  mutating func write(_ take: ([UInt8]) -> Void) {
    var piece: [UInt8] = []
    while let next = sources.indices.filter({ !sources[$0].isOver }).min(by: { sources[$0].key < sources[$1].key }) {
      piece += sources[next].line
      sources[next].advance()
      if piece.count >= 1 << 16 {
        take(piece)
        piece = []
      }
    }
    if !piece.isEmpty { take(piece) }
  }
}
