import Base

/// The properties that lost records share and stored ones lack.
struct LossProfile {
  private struct Count {
    var lost = 0
    var kept = 0

    mutating func add(isLost: Bool) { if isLost { lost += 1 } else { kept += 1 } }
  }

  private var counts: [String: Count] = [:]
  private(set) var lost = 0
  private(set) var kept = 0
  /// The number of lost records that are listed under another device.
  var misplaced = 0
  /// Counts by the second of the run in which the records were acknowledged.
  private var seconds: [Int64: Count] = [:]
  /// Counts by the size of their requests.
  private var sizes: [UInt16: Count] = [:]
  /// For the device being counted, per request: the number of lost records, and the request's size.
  private var requests: [UInt64: (lost: Int, size: Int)] = [:]
  /// The counts of the device being counted, and the stored records of each device with a loss.
  private var ofDevice = Count()
  private var keptByLosers: [Int] = []
  private var wholeRequests = 0
  private var recordsOfWholeRequests = 0

  private static let (shareOfLost, shareOfKept) = (0.9, 0.7)
  /// With fewer losses, a common time or size may be coincidence.
  private static let clusterMin = 3

  mutating func count(_ dequeued: DequeuedRecord, event: String?, of device: String, isLost: Bool) {
    if isLost { lost += 1 } else { kept += 1 }
    ofDevice.add(isLost: isLost)
    for trait in dequeued.traits(event, of: device) { counts[trait, default: Count()].add(isLost: isLost) }
    seconds[dequeued.at.nanoseconds / 1_000_000_000, default: Count()].add(isLost: isLost)
    sizes[dequeued.requestRecords, default: Count()].add(isLost: isLost)
    guard isLost, dequeued.request != 0 else { return }
    requests[dequeued.request, default: (0, Int(dequeued.requestRecords))].lost += 1
  }

  /// Called when all records of a device have been counted.
  mutating func closeDevice() {
    for request in requests.values where request.lost == request.size {
      wholeRequests += 1
      recordsOfWholeRequests += request.lost
    }
    requests.removeAll(keepingCapacity: true)
    if ofDevice.lost > 0 { keptByLosers.append(ofDevice.kept) }
    ofDevice = Count()
  }

  /// Nil when nothing is lost.
  var sentence: String? {
    guard lost > 1 else { return lost == 1 ? sentenceOfOne : nil }
    var parts: [String] = []
    if kept == 0 {
      parts.append(
        "none of the \(lost.grouped) acknowledged records was found: check the query of target.verify")
    }
    if let endOfLists { parts.append(endOfLists) }
    if misplaced > 0 { parts.append("\(misplaced.grouped) of them are listed under another device") }
    parts += common.map { trait, count in
      "\(count.lost == lost ? "all" : count.lost.grouped) \(trait) \(LossProfile.share(count))"
    }
    parts += [ofWholeRequests, ofLargeRequests, ofOneTime].compactMap(\.self)
    let text =
      parts.isEmpty
      ? "they differ in kind, position in the request, size of the request, repetition, instant, time and device"
      : parts.joined(separator: "; ")
    return "the \(lost.of("lost record")): \(text)"
  }

  private var sentenceOfOne: String {
    var parts = kept == 0 ? ["no other record was acknowledged"] : []
    if misplaced > 0 { parts.append("it is listed under another device") }
    parts += common.map { trait, count in "it \(LossProfile.singular(trait)) \(LossProfile.share(count))" }
    let text =
      parts.isEmpty
      ? "nothing sets it apart in kind, position in the request, size of the request, repetition, instant, time and device"
      : parts.joined(separator: "; ")
    return "the lost record: \(text)"
  }

  private static func singular(_ trait: String) -> String {
    let words = [
      ("belong ", "belongs "), ("have ", "has "), ("are plain locations", "is a plain location"), ("were ", "was "),
      ("share their ", "shares its "), (" of their ", " of its "),
    ]
    return words.reduce(trait) { $0.replacing($1.0, with: $1.1) }
  }

  /// The same number stored for each device suggests a limit, most often a page size.
  private var endOfLists: String? {
    guard keptByLosers.count > 1, let count = keptByLosers.first, count > 1, Set(keptByLosers).count == 1 else {
      return nil
    }
    return
      "each of the \(keptByLosers.count) devices that miss some lists \(count): if its list has pages, say so with target.verify.next"
  }

  private static func share(_ count: Count) -> String {
    "(\(count.lost.grouped) of \((count.lost + count.kept).grouped) such records \(count.lost == 1 ? "is" : "are") lost)"
  }

  /// The common properties, most significant first.
  private var common: [(trait: String, count: Count)] {
    guard kept > 0 else { return [] }
    let found = counts.filter { _, count in
      Double(count.lost) >= LossProfile.shareOfLost * Double(lost) && isConclusive(count)
    }
    let order = found.sorted { ($0.value.kept, -$0.value.lost, $0.key) < ($1.value.kept, -$1.value.lost, $1.key) }
    return order.prefix(2).map { ($0.key, $0.value) }
  }

  /// Reports whether few enough of the stored records share the property.
  private func isConclusive(_ count: Count) -> Bool { Double(count.kept) <= LossProfile.shareOfKept * Double(kept) }

  private var ofWholeRequests: String? {
    guard kept > 0, recordsOfWholeRequests == lost, lost > wholeRequests else { return nil }
    return wholeRequests == 1
      ? "all are the records of one request"
      : "all are in \(wholeRequests.grouped) requests, none of whose records is stored"
  }

  private var ofLargeRequests: String? {
    guard kept > 0, lost >= LossProfile.clusterMin, let least = sizes.filter({ $0.value.lost > 0 }).keys.min(),
      least > 1
    else { return nil }
    let count = LossProfile.sum(sizes.filter { $0.key >= least }.values)
    return isConclusive(count) ? "all were in requests of \(least) or more records \(LossProfile.share(count))" : nil
  }

  private var ofOneTime: String? {
    let times = seconds.filter { $0.value.lost > 0 }.keys
    guard kept > 0, lost >= LossProfile.clusterMin, let first = times.min(), let last = times.max() else { return nil }
    let count = LossProfile.sum(seconds.filter { (first...last).contains($0.key) }.values)
    func text(_ second: Int64) -> String {
      String(MonotonicInstant(nanoseconds: second * 1_000_000_000).clockText.prefix { $0 != "." })
    }
    guard isConclusive(count) else { return nil }
    // What a list leaves out for its age is lost at the beginning; what a store does not show yet, at the end.
    var advice = ""
    if Double(count.lost) >= LossProfile.shareOfLost * Double(count.lost + count.kept) {
      if last == seconds.keys.max() {
        advice = ": if the store lags behind, set target.verify.readDelay"
      } else if first == seconds.keys.min() {
        advice = ": if the list leaves out what is older, let target.verify ask for all"
      }
    }
    return "all were acknowledged from \(text(first)) to \(text(last)) of the run \(LossProfile.share(count))\(advice)"
  }

  private static func sum(_ counts: some Sequence<Count>) -> Count {
    counts.reduce(into: Count()) { sum, count in
      sum.lost += count.lost
      sum.kept += count.kept
    }
  }
}

extension DequeuedRecord {
  fileprivate func traits(_ event: String?, of device: String) -> [String] {
    var found = ["belong to \(device)"]
    found.append(event.map { "have the event \($0)" } ?? "are plain locations")
    if marks.contains(.follows) || marks.contains(.precedes) {
      found.append(
        marks.contains(.follows) ? "were not the first of their request" : "were the first of several in a request")
      if !marks.contains(.precedes) { found.append("were the last of several in a request") }
    } else {
      found.append("were alone in their request")
    }
    found.append(attempts > 1 ? "were sent more than once" : "were sent once")
    if traits.sharesInstant { found.append("share their instant with another record of the device") }
    return found
  }
}
