import Base
import Contract
import JSON

/// What a server lists of one device's records.
struct StoreListing {
  /// In the order of the list, repeated ones too.
  var stored: [UUID128] = []
  var putAside: Set<UUID128> = []
  /// Of the entries that say where and when.
  var contents: [UUID128: SentContent] = [:]

  private static let decoder = RecordDecoder()

  /// Takes in one page; `path` leads to the identities. Gives why it cannot be read, as half a sentence; nil when it can.
  mutating func take(_ body: [UInt8], path: [JSONStep], named pathText: String) -> String? {
    let page: JSONValue
    do throws(JSONError) {
      page = try JSONValue(parsing: body.span, duplicateKeys: .lastWins)
    } catch {
      return "the answer is no JSON (\(error.description)): it begins with \(StoreListing.start(of: body))"
    }
    // The identity stands in the entry behind the last `[*]`.
    let split = path.lastIndex(of: .everyElement).map { $0 + 1 } ?? 0
    var problem: String?
    var leads = false
    let isList = JSONStep.follow(path[..<split], from: page) { entry in
      let leadsOn = JSONStep.follow(path[split...], from: entry) { value in
        guard case .string(let text) = value, let uuid = UUID128(text: text.utf8.span) else {
          let shown = String(decoding: value.bytes.prefix(60), as: UTF8.self)
          return problem = problem ?? "\(pathText) leads to \(shown), which is no UUID"
        }
        stored.append(uuid)
        note(entry, as: uuid)
      }
      leads = leads || leadsOn
    }
    if let problem { return problem }
    let isEmptyList = isList && !leads && StoreListing.isEmpty(path[..<split], in: page)
    return leads || isEmptyList
      ? nil : "\(pathText) finds nothing in the answer, which begins with \(StoreListing.start(of: body))"
  }

  /// The identities of records that are not in the store and were put aside.
  mutating func takePutAside(_ body: [UInt8], path: [JSONStep]) {
    guard let page = JSONValue(bytes: body) else { return }
    JSONStep.follow(path[...], from: page) { value in
      if case .string(let text) = value, let uuid = UUID128(text: text.utf8.span) { putAside.insert(uuid) }
    }
  }

  private mutating func note(_ entry: JSONValue, as uuid: UUID128) {
    guard entry.isEntry else { return }
    do throws(RecordProblem) {
      if let content = SentContent(try StoreListing.decoder.decode(entry.bytes.span)) { contents[uuid] = content }
    } catch { return }
  }

  private static func isEmpty(_ path: ArraySlice<JSONStep>, in page: JSONValue) -> Bool {
    var entries = 0
    JSONStep.follow(path, from: page) { _ in entries += 1 }
    return entries == 0
  }

  static func start(of body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(80), as: UTF8.self).map { $0.isNewline ? " " : $0 }
    return body.isEmpty ? "nothing: it is empty" : "'\(String(text))'"
  }
}

extension JSONValue {
  init?(bytes: [UInt8]) {
    do throws(JSONError) { self = try JSONValue(parsing: bytes.span, duplicateKeys: .lastWins) } catch { return nil }
  }

  fileprivate var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  fileprivate var isEntry: Bool { if case .object = self { true } else { false } }
}
