import Base

/// Records of many devices.
extension ClauseRun {
  /// The records of each of these phones are stored once. Where there is no time to ask for all, the clause is not kept.
  func expectOnce(ofEach sent: [(phone: ConformancePhone, records: [SentRecord])], among: String) throws {
    let sent = sent.filter { !$0.records.isEmpty }
    let end = now + settings.timeForDevices
    var count = 0
    for index in ClauseRun.spread(sent.count) {
      if count > 0, now >= end {
        throw ClauseStop.partly(
          "the store takes so long that it was asked for \(count) of \(sent.count) devices, whose records are there")
      }
      try expectOnce(sent[index].records, of: sent[index].phone.name, among: among)
      count += 1
    }
  }

  /// All indices, those first that are far from each other: the ones that there is time for are not all of the beginning.
  static func spread(_ count: Int) -> [Int] {
    var (indices, step) = ([Int](), max(1, count / 4))
    var isTaken = [Bool](repeating: false, count: count)
    while indices.count < count {
      for index in stride(from: 0, to: count, by: step) where !isTaken[index] {
        isTaken[index] = true
        indices.append(index)
      }
      step = max(1, step / 2)
    }
    return indices
  }
}

extension Int {
  /// A list may end at such a number of entries, whatever is behind it.
  var mayBeALimit: Bool {
    self >= 100 ? isMultiple(of: 50) || nonzeroBitCount == 1 : self >= 10 && (isMultiple(of: 5) || nonzeroBitCount == 1)
  }
}
