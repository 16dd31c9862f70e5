import Base
import Store

/// Requests that might count for an expectation, but for which the journal cannot say whether they do. Where there are some, a
/// count has no upper bound.
struct RequestGaps: Sendable {
  /// Requests of the run that are not in the journal.
  var missing: [JournalGap] = []
  /// The share of requests that the journal records.
  var share = 1.0
  /// The requests that match as far as they are recorded.
  private(set) var cutCount = 0
  private(set) var lastCut: (words: String, at: Int64)?

  var isEmpty: Bool { missing.isEmpty && share >= 1 && cutCount == 0 }

  mutating func noteCut(_ words: String, at instant: Int64) {
    cutCount += 1
    lastCut = (words, instant)
  }

  var reasons: [ShortfallReason] {
    var reasons = missing.map { gap in
      ShortfallReason(
        kind: .incomplete, message: gap.words, count: gap.count, lastAt: WallInstant(exactly: gap.last))
    }
    if share < 1 {
      let message = "the journal takes \(Self.percent(share)) of the requests only (--journal)"
      reasons.append(ShortfallReason(kind: .incomplete, message: message))
    }
    if let lastCut {
      let more = cutCount > 1 ? ", and so in \(cutCount - 1) more" : ""
      reasons.append(
        ShortfallReason(
          kind: .incomplete, message: lastCut.words + more, count: cutCount, lastAt: WallInstant(exactly: lastCut.at)))
    }
    return reasons
  }

  private static func percent(_ share: Double) -> String {
    let percent = share * 100
    return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
  }
}

extension JournalGap {
  fileprivate var words: String {
    switch cause {
    case .dropped:
      let requests = count.map { $0 == 1 ? "1 request of the run is" : "\($0) requests of the run are" }
      return "\(requests ?? "requests of the run are") not in the journal: it could not be written, or not fast enough"
    case .forgotten:
      return
        "the oldest requests of the run are not in the journal: it keeps the latest only; use a run for each test, or 'since'"
    case .interrupted:
      return
        "the last requests before the server was killed may not be in the journal, which is written up to 50 ms later; use 'since'"
    }
  }
}

extension JournaledRequest {
  /// Returns the contents that the journal has only partly or not at all, by their names in the document.
  func cutContents(_ routes: RecordedRoutes) -> [String: String] {
    let operation = routes.route(of: entry.method, entry.path)?.deviceOperation
    if JournalDraft.isSecret(operation) {
      let words = "the journal does not keep it, because it is secret"
      return ["body": words, "answer": words]
    }
    var cut: [String: String] = [:]
    let most = JournalEntry.contentBytesMax
    for (name, kept, isWhole) in [("body", entry.body.count, entry.isBodyWhole), ("answer", entry.answer.count, false)]
    where !isWhole && kept >= most { cut[name] = "the journal keeps the first \(kept / 1_024) KiB" }
    return cut
  }
}
