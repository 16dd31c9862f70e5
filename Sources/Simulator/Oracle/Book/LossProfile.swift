import Base

/// The properties that lost records share and stored ones lack.
struct LossProfile {
  private struct Count {
    var lost = 0
    var kept = 0

    mutating func add(isLost: Bool) { if isLost { lost += 1 } else { kept += 1 } }
  }

  private var counts: [LossTrait: Count] = [:]
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
      "\(count.lost == lost ? "all" : count.lost.grouped) \(trait.words.ofSeveral) \(LossProfile.share(count))"
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
    parts += common.map { trait, count in "it \(trait.words.ofOne) \(LossProfile.share(count))" }
    let text =
      parts.isEmpty
      ? "nothing sets it apart in kind, position in the request, size of the request, repetition, instant, time and device"
      : parts.joined(separator: "; ")
    return "the lost record: \(text)"
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
  private var common: [(trait: LossTrait, count: Count)] {
    guard kept > 0 else { return [] }
    let found = counts.filter { _, count in
      Double(count.lost) >= LossProfile.shareOfLost * Double(lost) && isConclusive(count)
    }
    let order = found.sorted {
      ($0.value.kept, -$0.value.lost, $0.key.words.ofSeveral) < ($1.value.kept, -$1.value.lost, $1.key.words.ofSeveral)
    }
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

/// A property that lost records may share.
private enum LossTrait: Hashable {
  case device(String)
  case event(String)
  case plainLocation
  case first, notFirst, last, alone
  case repeated, sentOnce
  case sharedInstant

  /// The property as the end of a sentence about several records, and about one.
  var words: (ofSeveral: String, ofOne: String) {
    switch self {
    case .device(let name): ("belong to \(name)", "belongs to \(name)")
    case .event(let event): ("have the event \(event)", "has the event \(event)")
    case .plainLocation: ("are plain locations", "is a plain location")
    case .first: ("were the first of several in a request", "was the first of several in a request")
    case .notFirst: ("were not the first of their request", "was not the first of its request")
    case .last: ("were the last of several in a request", "was the last of several in a request")
    case .alone: ("were alone in their request", "was alone in its request")
    case .repeated: ("were sent more than once", "was sent more than once")
    case .sentOnce: ("were sent once", "was sent once")
    case .sharedInstant:
      (
        "share their instant with another record of the device", "shares its instant with another record of the device"
      )
    }
  }
}

extension DequeuedRecord {
  fileprivate func traits(_ event: String?, of device: String) -> [LossTrait] {
    var found: [LossTrait] = [.device(device), event.map { .event($0) } ?? .plainLocation]
    if marks.contains(.follows) || marks.contains(.precedes) {
      found.append(marks.contains(.follows) ? .notFirst : .first)
      if !marks.contains(.precedes) { found.append(.last) }
    } else {
      found.append(.alone)
    }
    found.append(attempts > 1 ? .repeated : .sentOnce)
    if traits.sharesInstant { found.append(.sharedInstant) }
    return found
  }
}
