import Base
import JSON

/// The samples for comparisons between two runs, in groups of phones and in pieces of the run, which show the variance
/// between phones and between times.
package struct SampleGroups: Equatable, Sendable {
  /// One group of phones, or one piece of the run.
  package struct Group: Equatable, Sendable {
    /// The spreads, in the order of `metrics`.
    package var spreads = SampleGroups.metrics.map { _ in StepSpread.fine }
    package var uploads = 0
    package var failed = 0

    mutating func add(_ other: Group) {
      for index in spreads.indices { spreads[index].add(other.spreads[index]) }
      uploads += other.uploads
      failed += other.failed
    }
  }

  package var phones: [Group] = Array(repeating: Group(), count: count)
  package var pieces: [Group] = Array(repeating: Group(), count: count)

  package static let count = 16
  /// The compared metrics.
  package static let metrics = ["upload_duration", "record_delivery_latency"]

  package init() {}

  /// Returns the group of a phone, by its number in the whole run: the same in whichever shard it is simulated.
  package static func group(of number: Int) -> Int { number % count }

  /// Returns the piece of the run at this share of the drives.
  static func piece(at share: Double) -> Int { min(count - 1, max(0, Int(share * Double(count)))) }

  /// Records a sample. `metric` is an index in `metrics`.
  mutating func record(_ metric: Int, _ span: Nanoseconds, of group: Int, in piece: Int) {
    let microseconds = UInt64(max(span.count, 0) / 1_000)
    phones[group].spreads[metric].record(microseconds: microseconds)
    pieces[piece].spreads[metric].record(microseconds: microseconds)
  }

  mutating func note(isFailed: Bool, of group: Int, in piece: Int) {
    let failed = isFailed ? 1 : 0
    phones[group].uploads += 1
    phones[group].failed += failed
    pieces[piece].uploads += 1
    pieces[piece].failed += failed
  }

  /// Adds the samples of another shard.
  mutating func add(_ other: SampleGroups) {
    for index in 0..<SampleGroups.count {
      phones[index].add(other.phones[index])
      pieces[index].add(other.pieces[index])
    }
  }
}

extension SampleGroups {
  var json: JSONValue {
    .object([
      "phones": .array(phones.map(\.json)), "pieces": .array(pieces.map(\.json)),
    ])
  }

  /// Returns all samples of a metric, by its index.
  package func whole(_ metric: Int) -> StepSpread {
    var whole = StepSpread.fine
    for group in phones { whole.add(group.spreads[metric]) }
    return whole
  }

  init(_ node: SummaryNode) throws(SummaryError) {
    self.init()
    phones = try SampleGroups.groups(node.member("phones"))
    pieces = try SampleGroups.groups(node.member("pieces"))
  }

  private static func groups(_ node: SummaryNode) throws(SummaryError) -> [Group] {
    var groups: [Group] = []
    for element in try node.elements() { groups.append(try Group(element)) }
    guard groups.count == count else { throw SummaryError("\(node.path): \(groups.count) groups, not \(count)") }
    return groups
  }
}

extension SampleGroups.Group {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["uploads": .integer(Int64(uploads)), "failed": .integer(Int64(failed))]
    for (name, spread) in zip(SampleGroups.metrics, spreads) { object[name] = .array(spread.pairs) }
    return .object(object)
  }

  fileprivate init(_ node: SummaryNode) throws(SummaryError) {
    self.init()
    uploads = try node.member("uploads").count()
    failed = try node.member("failed").count()
    for (index, name) in SampleGroups.metrics.enumerated() {
      let member = try node.member(name)
      spreads[index] = try StepSpread(pairs: member.counts(), bits: StepSpread.fine.bits, path: member.path)
    }
  }
}

extension StepSpread {
  /// The non-zero steps, as alternating step and count.
  fileprivate var pairs: [JSONValue] {
    counts.enumerated().flatMap { slot, count in
      count > 0 ? [JSONValue.integer(Int64(slot)), .integer(Int64(count))] : []
    }
  }

  fileprivate init(pairs: [Int], bits: Int, path: String) throws(SummaryError) {
    var counts: [Int] = []
    for index in stride(from: 0, to: pairs.count - 1, by: 2) {
      let (slot, count) = (pairs[index], pairs[index + 1])
      guard slot >= counts.count, slot < StepSpread.fine.slotsMax, count > 0 else {
        throw SummaryError("\(path): no steps in order")
      }
      counts += Array(repeating: 0, count: slot - counts.count) + [count]
    }
    guard pairs.count % 2 == 0 else { throw SummaryError("\(path): a step without a count") }
    self.init(bits: bits, counts: counts)
  }
}
