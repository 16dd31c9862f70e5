package import Base
import JSON
import Oracle

/// Failed requests of one fleet with the same error.
package struct RequestError: Equatable, Sendable {
  /// The first of them, unmodified.
  package struct Sample: Equatable, Sendable {
    package var device: String
    /// `POST http://127.0.0.1:8080/locations`.
    package var request: String
    package var records: Int
    /// The beginning of the answer's body; empty without an answer.
    package var body: String

    /// The index of its device in the fleet.
    fileprivate var index: Int { device.split(separator: "-").last.flatMap { Int($0) } ?? 0 }
  }

  /// `records`, `refresh` or `log`.
  package var purpose: String
  /// `status 404`, `connection refused`.
  package var kind: String
  /// The message of the server or of the transport; may be empty.
  package var message: String
  package var fleet: String
  package var count: Int
  /// The ends of the first and the last of them, since the start of the run.
  package var first: Nanoseconds
  package var last: Nanoseconds
  package var sample: Sample
}

extension RequestError {
  var hasNameOf: (RequestError) -> Bool {
    { $0.purpose == purpose && $0.kind == kind && $0.message == message && $0.fleet == fleet }
  }

  mutating func add(_ other: RequestError) {
    count += other.count
    // At one instant devices come in their order.
    if (other.first, other.sample.index) < (first, sample.index) { (first, sample) = (other.first, other.sample) }
    last = max(last, other.last)
  }

  /// Returns the errors, most frequent first.
  package static func inOrder(_ errors: [RequestError]) -> [RequestError] {
    errors.sorted { ($1.count, $0.first, $0.fleet) < ($0.count, $1.first, $1.fleet) }
  }
}

extension RunSummary {
  /// Adds the errors of another shard.
  mutating func add(errors more: [RequestError]) {
    for error in more {
      if let index = errors.firstIndex(where: error.hasNameOf) {
        errors[index].add(error)
      } else {
        errors.append(error)
      }
    }
    errors = RequestError.inOrder(errors)
  }

  /// Returns the share of an error among all requests of the run.
  package func share(of error: RequestError) -> Double { Double(error.count) / Double(max(requests, 1)) }
}

extension RequestError {
  func json(share: Double) -> JSONValue {
    .object([
      "purpose": .string(purpose), "kind": .string(kind), "message": .string(message), "fleet": .string(fleet),
      "count": .integer(Int64(count)), "share": .double(share), "firstAtSeconds": first.json,
      "lastAtSeconds": last.json,
      "sample": .object([
        "device": .string(sample.device), "request": .string(sample.request),
        "records": .integer(Int64(sample.records)), "body": .string(sample.body),
      ]),
    ])
  }

  init(_ node: SummaryNode) throws(SummaryError) {
    let sample = try node.member("sample")
    self.init(
      purpose: try node.member("purpose").text(), kind: try node.member("kind").text(),
      message: try node.member("message").text(), fleet: try node.member("fleet").text(),
      count: try node.member("count").count(), first: try node.member("firstAtSeconds").span(),
      last: try node.member("lastAtSeconds").span(),
      sample: Sample(
        device: try sample.member("device").text(), request: try sample.member("request").text(),
        records: try sample.member("records").count(), body: try sample.member("body").text()))
  }
}
