import Base
import Contract
import JSON

/// The records in a body, whatever stands around them, also when the body was cut.
enum BodyRecords {
  typealias Found = (uuid: UUID128, range: Range<Int>)

  /// The elements at the place where the SDK puts records; otherwise, as with templates and truncated bodies, the outermost objects
  /// with a uuid and a position; without any of these, all objects with a uuid.
  static func find(in body: [UInt8]) -> [Found] {
    if let records = framed(in: body) { return records }
    return RecordSearch(body, in: body.indices).found
  }

  /// Whether there is a position, as in a record; other requests of an app have none.
  static func hasPosition(in bytes: [UInt8]) -> Bool { RecordSearch(bytes, in: bytes.indices).hasPosition }

  /// Params beside the records are none, whatever they hold. Nil where the shape of the body tells nothing.
  private static func framed(in body: [UInt8]) -> [Found]? {
    var envelope = Envelope()
    do throws(EnvelopeError) {
      try EnvelopeReader(maxRecords: .max).read(body.span, into: &envelope)
    } catch {
      return nil
    }
    // Of a body that is one record the members are content or params, which the search tells apart as well.
    if case .bare = envelope.shape { return nil }
    var (records, hasPosition): ([Found], Bool) = ([], false)
    for range in envelope.records {
      let search = RecordSearch(body, in: range)
      hasPosition = hasPosition || search.hasPosition
      // Objects inside a record are its content.
      if let last = search.found.last, last.range == range { records.append(last) } else { records += search.found }
    }
    // A template may put the position where the SDK has the record, and the uuid beside it.
    guard !records.isEmpty else { return nil }
    let isSDKs = envelope.root.map { body[$0.range].elementsEqual("\(EnvelopeKey.location)".utf8) } ?? false
    return hasPosition || isSDKs ? records : nil
  }
}

/// The objects with a uuid in a part of a body, by a look at brackets and keys alone.
private struct RecordSearch {
  /// In the order of their ends.
  private(set) var found: [BodyRecords.Found] = []
  /// Some object has one.
  private(set) var hasPosition = false
  /// Which of them have a position: then only these are records.
  private var placed: [Bool] = []
  private var open: [Object] = []

  private struct Object {
    let start: Int
    var uuid: UUID128?
    /// Of its own, or in an object without a uuid in it.
    var hasPosition = false
    /// The number of records that were found before it.
    let foundBefore: Int
  }

  private static let names = Set(["uuid", "id", "location_id", "record_id", "guid"].map { Array($0.utf8) })
  private static let positions = Set(["coords", "latitude", "lat"].map { Array($0.utf8) })

  init(_ body: [UInt8], in part: Range<Int>) {
    var key: Range<Int>?
    var position = part.lowerBound
    search: while position < part.upperBound {
      switch body[position] {
      case UInt8(ascii: "{"):
        open.append(Object(start: position, foundBefore: found.count))
        key = nil
      case UInt8(ascii: "}"):
        if let object = open.popLast() { close(object, at: position + 1) }
        key = nil
      case UInt8(ascii: "\""):
        guard let end = RecordSearch.endOfText(body, from: position + 1) else { break search }
        take(body[position + 1..<end], under: key.map { body[$0] })
        let isKey = body[(end + 1)...].first { $0 > 0x20 } == UInt8(ascii: ":")
        key = isKey ? position + 1..<end : nil
        if let key, !open.isEmpty, RecordSearch.positions.contains(Array(body[key])) {
          open[open.count - 1].hasPosition = true
          hasPosition = true
        }
        position = end
      case UInt8(ascii: ","), UInt8(ascii: "["): key = nil
      default: break
      }
      position += 1
    }
    end()
  }

  private mutating func take(_ text: ArraySlice<UInt8>, under key: ArraySlice<UInt8>?) {
    guard let key, !open.isEmpty, RecordSearch.names.contains(Array(key)), let uuid = UUID128(text: text.span) else {
      return
    }
    open[open.count - 1].uuid = open[open.count - 1].uuid ?? uuid
  }

  private mutating func close(_ object: Object, at end: Int) {
    guard let uuid = object.uuid else {
      if object.hasPosition, !open.isEmpty { open[open.count - 1].hasPosition = true }
      return
    }
    // Objects inside a record are its content.
    if object.hasPosition { drop(from: object.foundBefore) { _ in true } }
    found.append((uuid, object.start..<end))
    placed.append(object.hasPosition)
  }

  /// Of a record that was cut, too, the objects in it are content.
  private mutating func end() {
    for object in open where object.uuid != nil && object.hasPosition { drop(from: object.foundBefore) { !$0 } }
    if placed.contains(true) { drop(from: 0) { !$0 } }
  }

  private mutating func drop(from first: Int, where isDropped: (Bool) -> Bool) {
    for index in (first..<found.count).reversed() where isDropped(placed[index]) {
      found.remove(at: index)
      placed.remove(at: index)
    }
  }

  private static func endOfText(_ body: [UInt8], from start: Int) -> Int? {
    var position = start
    while position < body.count {
      if body[position] == UInt8(ascii: "\"") { return position }
      position += body[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}
