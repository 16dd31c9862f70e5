package import Scenario

/// The comparisons of many records. A field that the store shows of no record is not kept, or is stored in a private form;
/// one that it shows of others is missing, where nothing about the record explains that.
package struct ContentComparisons<Owner> {
  /// What some records lack, by what a store may treat them differently.
  private struct LackingFields: Hashable {
    let kind: RecordContent.Kind
    let lacking: RecordContent.Fields
    let reworded: RecordContent.Fields
  }

  private var shown = [Int](repeating: 0, count: RecordContent.Fields.names.count)
  private var missed = [Int](repeating: 0, count: RecordContent.Fields.names.count)
  /// The fields that the store shows of some record of a kind, without differences.
  private var shownOfKind: [RecordContent.Kind: RecordContent.Fields] = [:]
  private var lacks: [LackingFields: (count: Int, number: Int, first: Owner)] = [:]
  /// The number of stored times without a zone.
  package private(set) var unreadTimes = 0

  /// Fields that must be kept, whatever the store shows.
  private let promised: RecordContent.Fields

  /// Records whose extras are all different are kinds without number.
  private static var kindsMax: Int { 256 }

  package init(promised: [KeptField] = []) {
    self.promised = promised.reduce(into: []) { $0.formUnion(RecordContent.Fields(of: $1)) }
  }

  package mutating func note(_ comparison: RecordContent.Comparison, of owner: @autoclosure () -> Owner) {
    if comparison.hasUnreadTime { unreadTimes += 1 }
    for index in shown.indices {
      shown[index] += Int(comparison.shown.rawValue >> UInt16(index) & 1)
      missed[index] += Int(comparison.lacking.rawValue >> UInt16(index) & 1)
    }
    // A difference is reported already.
    guard comparison.difference == nil else { return }
    if let known = shownOfKind[comparison.kind] {
      if !known.isSuperset(of: comparison.shown) { shownOfKind[comparison.kind] = known.union(comparison.shown) }
    } else if shownOfKind.count < ContentComparisons.kindsMax {
      shownOfKind[comparison.kind] = comparison.shown
    }
    guard !comparison.lacking.isEmpty else { return }
    let lack = LackingFields(kind: comparison.kind, lacking: comparison.lacking, reworded: comparison.reworded)
    let known = lacks[lack]
    lacks[lack] = ((known?.count ?? 0) + 1, known?.number ?? lacks.count, known?.first ?? owner())
  }

  /// The groups of records that lack the same fields, with the first record of each.
  package var lacking: [(fields: RecordContent.Fields, count: Int, first: Owner)] {
    let kept = kept
    var groups: [RecordContent.Fields: (count: Int, number: Int, first: Owner)] = [:]
    for (lack, found) in lacks.sorted(by: { $0.value.number < $1.value.number }) {
      let known = expected(of: lack.kind).subtracting(lack.reworded)
      let fields = lack.lacking.intersection(kept.union(known))
      if fields.isEmpty { continue }
      let group = groups[fields] ?? (0, found.number, found.first)
      groups[fields] = (group.count + found.count, group.number, group.first)
    }
    return groups.sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value.count, $0.value.first) }
  }

  /// The parts of time and place that were sent and are shown for no record.
  package var uncompared: [String] {
    (0..<3).filter { shown[$0] == 0 && missed[$0] > 0 }.map { RecordContent.Fields.names[$0] }
  }

  /// Returns why a record must not lack these fields.
  package func reason(for fields: RecordContent.Fields) -> String {
    guard promised.isSuperset(of: fields) else { return "which the store shows for other records" }
    let anywhere = RecordContent.Fields(indices: shown.indices.filter { shown[$0] > 0 })
    return "which the store is said to keep"
      + (anywhere.isDisjoint(with: fields)
        ? ", and shows for no record: if it has another name there, verify.fields names it" : "")
  }

  /// The fields that the store keeps of all kinds: time and place if it shows those of any record, others if it shows those of
  /// most.
  private var kept: RecordContent.Fields {
    let indices = shown.indices.filter { shown[$0] > 0 && ($0 < 3 || shown[$0] >= missed[$0]) }
    return RecordContent.Fields(indices: indices).union(promised)
  }

  /// Returns the fields that the store shows of some record with the same event: a store may have tables of their own for crossings
  /// and motion changes. It may leave out an activity that it takes for granted, and extras that it has no place for.
  private func expected(of kind: RecordContent.Kind) -> RecordContent.Fields {
    shownOfKind.reduce(into: []) { expected, other in
      guard other.key.event == kind.event else { return }
      var fields = other.value
      if other.key.activity != kind.activity { fields.remove(.word(.activity)) }
      if other.key.extras != kind.extras { fields.remove(.extras) }
      expected.formUnion(fields)
    }
  }
}
