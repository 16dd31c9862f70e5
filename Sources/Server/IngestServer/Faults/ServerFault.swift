package import Contract
import HTTP1
package import JSON
package import TLS

/// An injected fault of one request, or of one TLS handshake. The names are the `kind`s of the JSON.
package enum ServerFault: Equatable, Sendable {
  /// Answers before the body is read; nothing is stored.
  case refuse(status: Int)
  /// Resets the connection before the body is read; nothing is stored.
  case reset
  /// Waits, then continues.
  case delay(ClosedRange<Int64>)
  /// Reads the request, stores nothing, and answers with this status, these header fields and this body; without a body, with
  /// an error in the server's usual form.
  case status(Int, [NameValuePair] = [], body: String? = nil)
  /// Answers 200 with an HTML page and stores nothing, like the login page of a hotel.
  case portal
  /// Redirects the client and stores nothing.
  case redirect(status: Int, location: String)
  /// Acknowledges everything and stores nothing: a server that loses data, to check whether a test notices.
  case pretend
  /// Acknowledges the whole batch but stores only its first records: another server that loses data.
  case prefix(records: Int)
  /// Stores, sends that many bytes of the answer, and resets the connection.
  case cut(bytes: Int)
  /// Stores, and closes the connection without an answer.
  case drop
  /// Stores, waits, and answers: after its timeout, the client must send the same again.
  case delayAfterCommit(ClosedRange<Int64>)
  /// Stores, and sends the answer in pieces with pauses in milliseconds.
  case dribble(bytes: Int, every: Int64)
  /// Stores, and answers with a body that is not JSON.
  case malformed
  /// Stores, declares a length that differs by this many bytes from that of the body, and closes.
  case wrongLength(by: Int)
  /// Stores, and answers 200 without content.
  case empty
  /// Stores, and answers with this instead, as for `status`.
  case replace(Int, [NameValuePair] = [], body: String? = nil)
  /// Shows a certificate with this fault in a TLS handshake.
  case certificate(CertificateFault)
  /// Resets the connection when the client has begun a TLS handshake.
  case cutHandshake
  /// Waits in a TLS handshake, then continues.
  case slowHandshake(ClosedRange<Int64>)

  /// The stages of a request at which faults are decided.
  struct Stages: OptionSet, Sendable {
    let rawValue: Int

    /// Before any request.
    static let handshake = Stages(rawValue: 1 << 0)
    /// The head has arrived, and the body need not be read.
    static let head = Stages(rawValue: 1 << 1)
    /// The complete request has arrived, and can still be withheld from the store.
    static let body = Stages(rawValue: 1 << 2)
    /// The request is processed, and its answer is pending.
    static let answer = Stages(rawValue: 1 << 3)
  }

  /// The `kind` in the JSON, the label in the metrics, and the value in the journal.
  package enum Kind: String, CaseIterable, Sendable {
    case refuse, reset, delay, status, portal, redirect, pretend, prefix, cut, drop, delayAfterCommit, dribble,
      malformed
    case wrongLength, empty, replace, certificate, cutHandshake, slowHandshake

    /// The stage at which faults of this kind are decided.
    var stage: Stages {
      switch self {
      case .certificate, .cutHandshake, .slowHandshake: .handshake
      case .refuse, .reset: .head
      case .delay, .status, .portal, .redirect, .pretend, .prefix: .body
      case .cut, .drop, .delayAfterCommit, .dribble, .malformed, .wrongLength, .empty, .replace: .answer
      }
    }

    /// Whether it applies to TLS handshakes, which name no device and no run, rather than to requests.
    var isOfHandshake: Bool { stage == .handshake }

    /// Whether it concerns the records of an upload.
    var isOfRecords: Bool { self == .pretend || self == .prefix }

    /// Whether the client does not get its answer, or cannot read it.
    var spoilsAnswer: Bool {
      switch self {
      case .refuse, .reset, .status, .portal, .redirect, .cut, .drop, .malformed, .wrongLength, .empty, .replace,
        .certificate, .cutHandshake:
        true
      case .delay, .pretend, .prefix, .delayAfterCommit, .dribble, .slowHandshake: false
      }
    }

    /// Whether records are withheld from the store, all or some.
    package var withholdsRecords: Bool {
      switch self {
      case .refuse, .reset, .status, .portal, .redirect, .pretend, .prefix, .certificate, .cutHandshake: true
      case .delay, .cut, .drop, .delayAfterCommit, .dribble, .malformed, .wrongLength, .empty, .replace, .slowHandshake:
        false
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .refuse: .refuse
    case .reset: .reset
    case .delay: .delay
    case .status: .status
    case .portal: .portal
    case .redirect: .redirect
    case .pretend: .pretend
    case .prefix: .prefix
    case .cut: .cut
    case .drop: .drop
    case .delayAfterCommit: .delayAfterCommit
    case .dribble: .dribble
    case .malformed: .malformed
    case .wrongLength: .wrongLength
    case .empty: .empty
    case .replace: .replace
    case .certificate: .certificate
    case .cutHandshake: .cutHandshake
    case .slowHandshake: .slowHandshake
    }
  }
}

extension ServerFault {
  /// Returns what is wrong with a field that an answer should contain in addition to those that the server writes, as what it
  /// must be; nil when nothing is.
  package static func problem(of field: NameValuePair) -> String? {
    let own = [
      HeaderName.contentLength, HeaderName.contentType, HeaderName.transferEncoding, HeaderName.connection,
      HeaderName.date,
    ]
    if own.contains(where: field.hasName) { return "omitted: the server writes this header itself" }
    return malformation(of: field)
  }

  /// Returns what is wrong with the form of a field, as what it must be; nil when nothing is.
  package static func malformation(of field: NameValuePair) -> String? {
    var bytes: [UInt8] = []
    do throws(HTTPError) {
      try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &bytes)
      return nil
    } catch {
      if error.code == .invalidFieldName {
        return "a header, whose name has letters, digits and !#$%&'*+-.^_`|~ only (RFC 9110 section 5.6.2)"
      }
      var shown = JSONWriter(capacity: 64)
      shown.value(String(field.value.prefix(80)))
      return "a text without control characters, not \(String(decoding: shown.bytes, as: UTF8.self))"
    }
  }
}

extension ServerFault {
  /// Writes the JSON that PUT /admin/v1/faults accepts. Durations are text with a unit, so that a list can be put back
  /// unchanged.
  package func append(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("kind", kind.rawValue)
    switch self {
    case .refuse(let status): writer.member("status", status)
    case .status(let status, let fields, let body), .replace(let status, let fields, let body):
      writer.member("status", status)
      if let body { writer.member("body", body) }
      guard !fields.isEmpty else { break }
      writer.key("headers")
      writer.beginObject()
      for field in fields {
        writer.key(field.name)
        writer.value(field.value)
      }
      writer.endObject()
    case .certificate(let problem): writer.member("problem", problem.rawValue)
    case .delay(let range), .delayAfterCommit(let range), .slowHandshake(let range):
      writer.member("from", "\(range.lowerBound)ms")
      writer.member("to", "\(range.upperBound)ms")
    case .redirect(let status, let location):
      writer.member("status", status)
      writer.member("location", location)
    case .prefix(let records): writer.member("records", records)
    case .cut(let bytes): writer.member("bytes", bytes)
    case .dribble(let bytes, let pause):
      writer.member("bytes", bytes)
      writer.member("every", "\(pause)ms")
    case .wrongLength(let difference): writer.member("by", difference)
    case .reset, .portal, .pretend, .drop, .malformed, .empty, .cutHandshake: break
    }
    writer.endObject()
  }
}

extension ServerFault {
  init(_ value: JSONValue, at path: String) throws(FieldError) {
    let keys = [
      "kind", "status", "headers", "body", "time", "from", "to", "bytes", "every", "records", "by", "location",
      "problem",
    ]
    let fields = try AdminFields(value, at: path, knows: keys)
    let name = try fields.text("kind") ?? ""
    guard let kind = Kind(rawValue: name) else {
      let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw FieldError(fields.place("kind"), .outOfRange(expected: "one of \(names)"))
    }
    // Read again, now with the keys of this kind.
    _ = try AdminFields(value, at: path, knows: ["kind"] + kind.parameters)
    let count = Int64(Int32.max)
    switch kind {
    case .refuse: self = .refuse(status: Int(try fields.integer("status", in: 200...599) ?? 503))
    case .reset: self = .reset
    case .delay: self = .delay(try ServerFault.delays(fields))
    case .status:
      let (status, headers, body) = try ServerFault.answer(fields)
      self = .status(status, headers, body: body)
    case .portal: self = .portal
    case .redirect:
      self = .redirect(
        status: Int(try fields.integer("status", in: 300...399) ?? 302),
        location: try ServerFault.location(fields))
    case .pretend: self = .pretend
    case .prefix: self = .prefix(records: Int(try fields.integer("records", in: 0...count) ?? 1))
    case .cut: self = .cut(bytes: Int(try fields.integer("bytes", in: 0...count) ?? 20))
    case .drop: self = .drop
    case .delayAfterCommit: self = .delayAfterCommit(try ServerFault.delays(fields))
    case .dribble:
      let pause = max(1, try fields.milliseconds("every") ?? 1_000)
      self = .dribble(bytes: Int(try fields.integer("bytes", in: 1...count) ?? 1), every: pause)
    case .malformed: self = .malformed
    case .wrongLength:
      let difference = try fields.integer("by", in: -65_536...65_536) ?? 10
      guard difference != 0 else {
        throw FieldError(fields.place("by"), .outOfRange(expected: "other than 0, which would be the correct length"))
      }
      self = .wrongLength(by: Int(difference))
    case .empty: self = .empty
    case .replace:
      let (status, headers, body) = try ServerFault.answer(fields)
      self = .replace(status, headers, body: body)
    case .certificate: self = .certificate(try ServerFault.certificateFault(fields))
    case .cutHandshake: self = .cutHandshake
    case .slowHandshake: self = .slowHandshake(try ServerFault.delays(fields))
    }
  }

  private static func certificateFault(_ fields: AdminFields) throws(FieldError) -> CertificateFault {
    guard let name = try fields.text("problem") else { throw FieldError(fields.place("problem"), .missing) }
    guard let fault = CertificateFault(rawValue: name) else {
      let names = CertificateFault.allCases.map(\.rawValue).joined(separator: ", ")
      throw FieldError(fields.place("problem"), .outOfRange(expected: "one of \(names)"))
    }
    return fault
  }

  private static func answer(_ fields: AdminFields) throws(FieldError) -> (Int, [NameValuePair], body: String?) {
    let status = Int(try fields.integer("status", in: 200...599) ?? 500)
    let body = try fields.text("body")
    guard body == nil || Response.hasContent(status) else {
      throw FieldError(fields.place("body"), .outOfRange(expected: "left out: an answer with \(status) has no content"))
    }
    return (status, try headers(fields), body)
  }

  private static func headers(_ fields: AdminFields) throws(FieldError) -> [NameValuePair] {
    guard let value = fields.value("headers") else { return [] }
    guard case .object(let object) = value else {
      throw FieldError(fields.place("headers"), .outOfRange(expected: "an object of strings"))
    }
    var headers: [NameValuePair] = []
    for member in object.members {
      let place = "\(fields.place("headers")).\(member.key)"
      guard case .string(let text) = member.value else {
        throw FieldError(place, .outOfRange(expected: "a string"))
      }
      let field = NameValuePair(member.key, text)
      if let problem = problem(of: field) { throw FieldError(place, .outOfRange(expected: problem)) }
      headers.append(field)
    }
    return headers
  }

  /// Reads a fixed `time`, or a range `from` and `to` to draw from.
  private static func delays(_ fields: AdminFields) throws(FieldError) -> ClosedRange<Int64> {
    let (from, to) = (try fields.milliseconds("from"), try fields.milliseconds("to"))
    if let fixed = try fields.milliseconds("time") {
      for (key, value) in [("from", from), ("to", to)] where value != nil {
        throw FieldError(fields.place(key), .outOfRange(expected: "omitted when time is given"))
      }
      return fixed...fixed
    }
    guard let least = from, let most = to else {
      let missing = from != nil ? "to" : to != nil ? "from" : "time"
      throw FieldError(fields.place(missing), .missing)
    }
    guard least <= most else { throw FieldError(fields.place("to"), .outOfRange(expected: "at least from")) }
    return least...most
  }

  private static func location(_ fields: AdminFields) throws(FieldError) -> String {
    let location = try fields.text("location") ?? "http://localhost/login"
    guard location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw FieldError(fields.place("location"), .outOfRange(expected: "a URL"))
    }
    return location
  }
}

extension ServerFault.Kind {
  /// The keys that this kind has in addition to `kind`.
  var parameters: [String] {
    switch self {
    case .refuse: ["status"]
    case .status, .replace: ["status", "headers", "body"]
    case .delay, .delayAfterCommit, .slowHandshake: ["time", "from", "to"]
    case .certificate: ["problem"]
    case .redirect: ["status", "location"]
    case .prefix: ["records"]
    case .cut: ["bytes"]
    case .dribble: ["bytes", "every"]
    case .wrongLength: ["by"]
    case .reset, .portal, .pretend, .drop, .malformed, .empty, .cutHandshake: []
    }
  }
}
