import Base
package import Scenario
import Shell

/// The output of a shell command.
struct PrintedStore: StoreView {
  let command: String
  let fields: [Named<[JSONStep]>]

  var place: String { command }

  func listCommand(for device: String) -> String? { "DEVICE=\(device.shellWord) sh -c \(command.shellWord)" }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    var lines = LineEntries(of: "'\(command)'", fields: fields)
    let end = ShellCommand.run(command, ["DEVICE": device]) { lines.take($0, take) }
    if let problem = lines.problem { throw problem }
    switch end {
    case .code(0): lines.end(take)
    case .code(1) where lines.isEmpty:
      throw StoreViewError(
        text: "'\(command)' ended with 1 and printed nothing; if that means that there is no record, as with grep, "
          + "make it exit with 0: grep … || [ $? = 1 ]")
    case .code(let code): throw StoreViewError(text: "'\(command)' ended with \(code)")
    case .timeout, .unwanted:
      throw StoreViewError(
        text: "'\(command)' had not ended after \(ShellCommand.millisecondsMax / 1_000) s, and was killed")
    }
    if let problem = lines.problem { throw problem }
    return ListEnd()
  }
}

/// A file with one line per record, of all devices.
struct FileStore: StoreView {
  let path: String
  let fields: [Named<[JSONStep]>]

  var place: String { path }
  var isOfAllDevices: Bool { true }

  func listCommand(for device: String) -> String? { "cat \(WholePath.of(path).shellWord)\(device.asFilter)" }

  /// The first bytes of a database (https://sqlite.org/fileformat.html#magic_header_string).
  private static let headOfDatabase = Array("SQLite format 3\0".utf8)

  func check() throws(StoreViewError) {
    var isDatabase = false
    let isRead = LineFile.read(path) { piece in
      isDatabase = piece.starts(with: FileStore.headOfDatabase)
      return false
    }
    guard isRead else {
      throw StoreViewError(
        text: "cannot read \(path); if the backend creates it with its first record, create it empty before the run")
    }
    guard !isDatabase else {
      throw StoreViewError(
        text: "\(path) is a database of SQLite: --query 'SELECT … WHERE device = :device' is missing")
    }
  }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    var lines = LineEntries(of: path, fields: fields)
    guard LineFile.read(path, { lines.take($0, take) }) else { throw StoreViewError(text: "cannot read \(path)") }
    var end = ListEnd()
    end.torn = lines.endOfGrowing(take)
    if let problem = lines.problem { throw problem }
    return end
  }
}

extension String {
  /// The end of a shell command that prints the lines with this device.
  var asFilter: String { " | grep -F -w \(shellWord)" }
}

/// Parses lines with a JSON object or a uuid each, in pieces of any length.
package struct LineEntries {
  private let place: String
  private let fields: [Named<[JSONStep]>]
  private let lineBytesMax: Int
  private var rest: [UInt8] = []
  private var number = 0
  package private(set) var problem: StoreViewError?

  package static let lineBytesMax = 16 << 20

  package init(of place: String, fields: [Named<[JSONStep]>], lineBytesMax: Int = LineEntries.lineBytesMax) {
    (self.place, self.fields, self.lineBytesMax) = (place, fields, lineBytesMax)
  }

  /// Whether nothing has been read.
  var isEmpty: Bool { number == 0 && rest.isEmpty }

  /// Returns false after a problem, when no more input is needed.
  @discardableResult
  package mutating func take(_ piece: ArraySlice<UInt8>, _ take: (StoredRecord) -> Void) -> Bool {
    var piece = piece
    while problem == nil, let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
      if rest.isEmpty {
        read(piece[..<end], take)
      } else {
        rest += piece[..<end]
        let line = rest
        rest.removeAll(keepingCapacity: true)
        read(line[...], take)
      }
      piece = piece[(end + 1)...]
    }
    guard problem == nil else { return false }
    rest += piece
    if rest.count > lineBytesMax { refuse(number + 1, "is longer than \(lineBytesMax >> 20) MiB") }
    return problem == nil
  }

  /// Parses text after the last line end as a line, too.
  package mutating func end(_ take: (StoredRecord) -> Void) {
    guard problem == nil else { return }
    read(rest[...], take)
    rest = []
  }

  /// Ends the parsing of a file that is being written: a last line of which only the beginning is there is no entry, and is returned.
  mutating func endOfGrowing(_ take: (StoredRecord) -> Void) -> TornLine? {
    let last = text(of: rest[...], number + 1)
    guard problem == nil, last.contains(where: { $0 > 0x20 }), LineEntries.isBeginning(last) else {
      end(take)
      return nil
    }
    let words = rest.split { !($0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isHexDigit) }
    rest = []
    return TornLine(number: number + 1, uuids: Set(words.compactMap { UUID128(stored: Array($0).span) }))
  }

  /// Whether the line may be the first part of an object or of a uuid. Another text, as a JSON array or a page of HTML, is not.
  private static func isBeginning(_ line: ArraySlice<UInt8>) -> Bool {
    let text = Array(line.drop { $0 <= 0x20 })
    if StoredValue.isBeginningOfObject(text) { return true }
    return formsOfUUID.contains { form in
      guard text.count < form.count else { return false }
      let whole = text + form.dropFirst(text.count)
      return UUID128(stored: whole.span) != nil
    }
  }

  private static let formsOfUUID: [[UInt8]] = {
    let (long, short) = ("00000000-0000-0000-0000-000000000000", String(repeating: "0", count: 32))
    return [long, short, "{\(long)}", "{\(short)}", "urn:uuid:\(long)"].map { Array($0.utf8) }
  }()

  /// Returns the line without the byte-order mark with which some programs begin a file.
  private func text(of line: ArraySlice<UInt8>, _ number: Int) -> ArraySlice<UInt8> {
    number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ take: (StoredRecord) -> Void) {
    number += 1
    let line = text(of: line, number)
    if line.allSatisfy({ $0 <= 0x20 }) { return }
    guard let value = LineEntries.value(of: line) else {
      let start = String(decoding: line.drop { $0 <= 0x20 }.prefix(60), as: UTF8.self)
      return refuse(number, "is neither a JSON object nor a uuid: \(start.onOneLine)")
    }
    take(StoredRecord(value, fields: fields))
  }

  private mutating func refuse(_ line: Int, _ reason: String) {
    problem = StoreViewError(text: "\(place): line \(line) \(reason)")
    rest = []
  }

  /// Returns an object, or the identity alone; nil for anything else.
  package static func value(of line: ArraySlice<UInt8>) -> StoredValue? {
    var text = line.drop { $0 <= 0x20 }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    let isIdentity = text.count <= 45 && UUID128(stored: Array(text).span) != nil
    if isIdentity || text.first != UInt8(ascii: "{") {
      guard isIdentity else { return nil }
      return .object([("uuid", .text(String(decoding: text, as: UTF8.self)))])
    }
    return StoredValue(Array(text))
  }
}
