import Base
package import Scenario
import Shell

/// What a command of the shell prints.
struct PrintedStore: StoreView {
  let command: String
  let fields: [Named<[JSONStep]>]

  var place: String { command }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreProblem) {
    var lines = LineEntries(of: command, fields: fields)
    let code = ShellCommand.run(command, ["DEVICE": device]) { lines.take($0, take) }
    guard code == 0 else { throw StoreProblem(text: "'\(command)' ended with \(code)") }
    lines.end(take)
    if let problem = lines.problem { throw problem }
  }
}

/// A file of lines, of all devices.
struct FileStore: StoreView {
  let path: String
  let fields: [Named<[JSONStep]>]

  var place: String { path }
  var isOfAllDevices: Bool { true }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreProblem) {
    var lines = LineEntries(of: path, fields: fields)
    guard LineFile.read(path, { lines.take($0, take) }) else { throw StoreProblem(text: "cannot read \(path)") }
    // The line that is being written is not whole yet.
    if let problem = lines.problem { throw problem }
  }
}

/// A JSON object or a uuid on each line, in pieces of any length.
package struct LineEntries {
  private let place: String
  private let fields: [Named<[JSONStep]>]
  private var rest: [UInt8] = []
  private var number = 0
  package private(set) var problem: StoreProblem?

  package init(of place: String, fields: [Named<[JSONStep]>]) { (self.place, self.fields) = (place, fields) }

  package mutating func take(_ piece: ArraySlice<UInt8>, _ take: (StoredRecord) -> Void) {
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
    rest += piece
  }

  /// What stands behind the last line end is a line, too.
  package mutating func end(_ take: (StoredRecord) -> Void) {
    read(rest[...], take)
    rest = []
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ take: (StoredRecord) -> Void) {
    number += 1
    var text = line.drop { $0 <= 0x20 }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    if text.isEmpty { return }
    if text.first != UInt8(ascii: "{"), UUID128(text: Array(text).span) != nil {
      take(StoredRecord(.object([("uuid", .text(String(decoding: text, as: UTF8.self)))]), fields: fields))
    } else if let value = StoredValue(Array(text)) {
      take(StoredRecord(value, fields: fields))
    } else {
      let start = String(decoding: text.prefix(60), as: UTF8.self)
      problem = StoreProblem(text: "\(place): line \(number) is neither a JSON object nor a uuid: \(start)")
    }
  }
}
