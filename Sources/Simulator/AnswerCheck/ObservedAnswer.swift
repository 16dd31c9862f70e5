package import Base
package import Contract
import JSON
package import Upload

/// A device's request and its outcome, with the device's state.
package struct ObservedAnswer: Sendable {
  package let request: OutgoingRequest
  package let outcome: RequestOutcome
  /// Nil when it was not recorded: clauses about header fields are then not judged.
  package let head: AnswerHead?
  /// The time from sending to the end.
  package let duration: Nanoseconds
  package let endedAt: WallInstant
  /// Whether the device has a refresh URL.
  package let canRefresh: Bool
  /// The authorization scheme with which the device will send a token from this answer.
  package let strategy: AuthorizationStrategy
  /// False when only the head says something: the content was too long to be kept, or comes in an unknown coding. Clauses that read
  /// it are then not judged.
  package let isContentKnown: Bool

  package init(
    _ request: OutgoingRequest, _ outcome: RequestOutcome, head: AnswerHead?, duration: Nanoseconds,
    endedAt: WallInstant, canRefresh: Bool, strategy: AuthorizationStrategy = .jwt, isContentKnown: Bool = true
  ) {
    self.request = request
    self.outcome = outcome
    self.head = head
    self.duration = duration
    self.endedAt = endedAt
    self.canRefresh = canRefresh
    self.strategy = strategy
    self.isContentKnown = isContentKnown
  }
}

/// The header lines of an answer, as far as known.
package struct AnswerHead: Equatable, Sendable {
  package let fields: [(name: String, value: String)]

  package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

  /// Parses a head that begins with its status line. A line without a colon is skipped.
  package init(parsing bytes: [UInt8]) {
    fields = bytes.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      return (String(decoding: line[..<colon], as: UTF8.self), AnswerHead.trimmed(line[(colon + 1)...]))
    }
  }

  /// Returns the value of the first field with this name, ignoring case (RFC 9110 §5.1).
  package subscript(name: StaticString) -> String? {
    fields.first { $0.name.isSameName(name.description) }?.value
  }

  /// The media type without parameters, in lower case.
  var mediaType: String? {
    self[HeaderName.contentType].map { value in
      AnswerHead.trimmed(Array(value.utf8).prefix { $0 != UInt8(ascii: ";") }).lowercased()
    }
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? text.startIndex
    return String(decoding: text[..<end].drop(while: isSpace), as: UTF8.self)
  }

  package static func == (left: AnswerHead, right: AnswerHead) -> Bool {
    left.fields.elementsEqual(right.fields) { $0 == $1 }
  }
}

extension OutgoingRequest {
  /// The number of records in the body. Nil when the format does not show it: a list of values may be one record of a template.
  package var recordCount: Int? {
    let body = body
    do throws(JSONError) {
      switch try JSONValue(parsing: body.span, reading: .lenient) {
      case .array(let elements): return elements.allSatisfy(\.isObject) ? elements.count : nil
      case .object(let object):
        let lists = object.members.compactMap(\.value.objects)
        return lists.count == 1 ? lists[0].count : lists.isEmpty ? 1 : nil
      case .null, .bool, .integer, .double, .string: return nil
      }
    } catch { return nil }
  }
}

extension JSONValue {
  /// The objects of a list, at least one.
  fileprivate var objects: [JSONValue]? {
    if case .array(let elements) = self, !elements.isEmpty, elements.allSatisfy(\.isObject) { elements } else { nil }
  }
}

/// Identifies the records of a request: by the first uuid in its body or, if a template has omitted it, by the body.
struct RequestPrint: Hashable, Sendable {
  private let text: [UInt8]

  private static let marker = Array("\"uuid\":\"".utf8)
  private static let uuidLength = 36

  init(_ request: OutgoingRequest) {
    let body = request.body
    if let start = RequestPrint.uuidStart(in: body.span) {
      text = Array(body[start..<start + RequestPrint.uuidLength])
    } else {
      text = body
    }
  }

  /// Called for each request of a proxy, where `firstRange(of:)` took a third of the time: it looks up runtime
  /// types for each byte.
  private static func uuidStart(in body: Span<UInt8>) -> Int? {
    let marker = marker
    let last = body.count - marker.count - uuidLength
    guard last >= 0 else { return nil }
    for place in 0...last where body[place] == marker[0] {
      var length = 1
      while length < marker.count, body[place + length] == marker[length] { length += 1 }
      if length == marker.count { return place + length }
    }
    return nil
  }
}
