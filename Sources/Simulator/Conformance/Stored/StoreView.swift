import AnswerCheck
import Base
import Contract
import Database
import JSON
import Scenario
import Upload

/// What can say which records a backend has stored.
package protocol StoreView: Sendable {
  /// Whence, for people.
  var place: String { get }
  /// The records of one device, repeated ones too, in the order of the store.
  func records(of device: String) throws(StoreProblem) -> [StoredRecord]
}

/// Why a store could not be read, as half a sentence.
package struct StoreProblem: Error, Equatable {
  package let text: String

  package init(text: String) { self.text = text }
}

/// Over HTTP, JSON or NDJSON, page by page.
struct QueriedStore: StoreView {
  let url: String
  let headers: [NameValuePair]
  let records: [JSONStep]
  let next: [JSONStep]?
  let fields: [Named<[JSONStep]>]
  let client: ConformanceClient

  private static let pagesMax = 10_000

  var place: String { url }

  func records(of device: String) throws(StoreProblem) -> [StoredRecord] {
    var result: [StoredRecord] = []
    var next: String? = address(of: device, cursor: "")
    var seen: Set<String> = []
    while let page = next {
      guard seen.insert(page).inserted, seen.count <= QueriedStore.pagesMax else {
        throw StoreProblem(text: "the pages of \(url) form a loop")
      }
      let (outcome, head) = client.ask(page, headers: headers)
      guard case .answered(let status, reason: _, let body) = outcome else {
        if case .failed(_, let message) = outcome { throw StoreProblem(text: "\(page): \(message)") }
        return result
      }
      // A device without records may have no list either.
      if status == 404, result.isEmpty { return [] }
      guard status == 200 else { throw StoreProblem(text: "\(page): status \(status)") }
      result += try entries(in: body, of: page).map { StoredRecord($0, fields: fields) }
      next = PageLink.next(in: head, from: page) ?? cursor(in: body).flatMap { follow($0, of: device, from: page) }
      if let next, PageLink.parts(of: next).origin != PageLink.parts(of: page).origin {
        throw StoreProblem(text: "\(page): its next page, \(next), is on another server")
      }
    }
    return result
  }

  private func address(of device: String, cursor: String) -> String {
    url.filling("device", device.percentEncoded).filling("cursor", cursor.percentEncoded)
  }

  /// Null and the empty text end a list.
  private func cursor(in body: [UInt8]) -> String? {
    guard let next, let value = StoredValue(body)?.values(along: next[...]).first else { return nil }
    switch value {
    case .text(let text): return text.isEmpty ? nil : text
    case .number(let digits): return digits
    case .null, .bool, .list, .object: return nil
    }
  }

  private func follow(_ cursor: String, of device: String, from page: String) -> String? {
    if cursor.hasPrefix("http://") || cursor.hasPrefix("https://") { return cursor }
    if cursor.hasPrefix("/") { return PageLink.parts(of: page).origin + cursor }
    return url.contains("{cursor}") ? address(of: device, cursor: cursor) : nil
  }

  private func entries(in body: [UInt8], of page: String) throws(StoreProblem) -> [StoredValue] {
    if let value = StoredValue(body) {
      let found = value.values(along: records[...])
      // A single line is JSON too.
      if found.isEmpty, case .object = value, records == [.everyElement] { return [value] }
      return found
    }
    return try LineEntries.read(body, from: page)
  }
}

extension String {
  /// With a value in the place of `{name}`.
  func filling(_ name: String, _ value: String) -> String {
    split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: value)
  }
}

/// A JSON object or a uuid on each line.
enum LineEntries {
  static func read(_ bytes: [UInt8], from place: String) throws(StoreProblem) -> [StoredValue] {
    var entries: [StoredValue] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      let text = Array(line.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed())
      if text.isEmpty { continue }
      if let value = StoredValue(text) {
        entries.append(value)
      } else if UUID128(text: text.span) != nil {
        entries.append(.object([("uuid", .text(String(decoding: text, as: UTF8.self)))]))
      } else {
        let start = String(decoding: text.prefix(60), as: UTF8.self)
        throw StoreProblem(text: "\(place): line \(index + 1) is neither a JSON object nor a uuid: \(start)")
      }
    }
    return entries
  }
}

/// A file of an SQLite database, which its backend may be writing meanwhile.
struct DatabaseStore: StoreView {
  let path: String
  let query: String
  let fields: [Named<[JSONStep]>]

  var place: String { path }

  func records(of device: String) throws(StoreProblem) -> [StoredRecord] {
    do throws(DatabaseError) {
      let connection = try Connection(path: path, access: .readOnly)
      var statement = try connection.prepare(query)
      var rows = statement.start()
      let name = Array(device.utf8)
      rows.bind(1, text: name.span)
      var result: [StoredRecord] = []
      while try rows.step() { result.append(StoredRecord(DatabaseStore.entry(rows), fields: fields)) }
      return result
    } catch { throw StoreProblem(text: "\(path): \(error)") }
  }

  private static func entry(_ row: borrowing Execution) -> StoredValue {
    var members: [(String, StoredValue)] = []
    for column in row.columns {
      let value: StoredValue =
        switch row.storageClass(at: column) {
        case .null: .null
        case .integer: .number("\(row.integer(at: column))")
        case .real: .number("\(row.double(at: column))")
        case .text, .blob: .text(row.text(at: column))
        }
      members.append((row.name(of: column), value))
    }
    return .object(members)
  }
}

/// What a command of the shell prints.
struct PrintedStore: StoreView {
  let command: String
  let fields: [Named<[JSONStep]>]
  let shell: ConformanceShell

  var place: String { command }

  func records(of device: String) throws(StoreProblem) -> [StoredRecord] {
    let end = shell.run(command, ["DEVICE": device])
    guard end.code == 0 else { throw StoreProblem(text: "'\(command)' ended with \(end.code)") }
    return try LineEntries.read(end.output, from: command).map { StoredRecord($0, fields: fields) }
  }
}

/// A file of lines, of all devices.
struct FileStore: StoreView {
  let path: String
  let fields: [Named<[JSONStep]>]
  let readFile: @Sendable (String) -> [UInt8]?

  var place: String { path }

  func records(of device: String) throws(StoreProblem) -> [StoredRecord] {
    guard let bytes = readFile(path) else { throw StoreProblem(text: "cannot read \(path)") }
    // The line that is being written is not whole yet.
    let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { Array(bytes[...$0]) } ?? []
    return try LineEntries.read(whole, from: path).map { StoredRecord($0, fields: fields) }
      .filter { ($0.value("device") ?? $0.value("device_id"))?.string == device }
  }
}

/// Runs commands of the shell.
package struct ConformanceShell: Sendable {
  /// Variables of the environment; the result is the exit code and what was printed.
  package let run: @Sendable (_ command: String, _ environment: [String: String]) -> (code: Int32, output: [UInt8])

  package init(run: @escaping @Sendable (String, [String: String]) -> (code: Int32, output: [UInt8])) { self.run = run }
}
