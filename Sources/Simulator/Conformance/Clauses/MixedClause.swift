import AnswerCheck
import Base
import Contract
import Scenario
import Upload

/// Good uploads among bad ones.
extension ConformanceClause {
  static func goodBesideBad(_ run: ClauseRun) throws {
    let phones = try (0..<12).map { _ in try run.phone { $0.http.batchSync = false } }
    let bad = try badUploads(run)
    let half = bad.count / 2
    var acknowledged: [[SentRecord]] = phones.map { _ in [] }
    let rounds = run.facts.isSlow ? 2 : 15
    for _ in 0..<rounds {
      let sent = try phones.map { phone in
        let record = run.fix(phone)
        return (record, try run.request(phone, [record]))
      }
      let good = zip(sent, phones).map { (request: $0.1, device: $1.number) }
      // Mixed, so that some of each kind are under way together.
      let uploads = try run.line().exchangeAll(
        [bad[..<half], good[..<6], bad[half...], good[6...]].flatMap(Array.init))
      for (index, (record, request)) in sent.enumerated() {
        guard let upload = uploads.first(where: { $0.request === request }) else { continue }
        // Rejected records are dropped, so that the next request has one record again.
        phones[index].answer(request, .answered(status: 200, reason: "", body: []))
        if upload.isSuccess { acknowledged[index].append(record) }
      }
    }
    let (count, sentCount) = (acknowledged.joined().count, phones.count * rounds)
    guard count * 2 >= sentCount else {
      throw ClauseStop.notJudged(
        "of \(sentCount) good uploads beside bad ones \(count) were acknowledged: too few to search for")
    }
    try run.expectOnce(
      ofEach: zip(phones, acknowledged).map { ($0, $1) }, among: " while others sent bad uploads and known records")
  }

  /// Returns the same uploads each time: truncated ones, records that repeat from the second time on, and records without
  /// coordinates, alone and after good ones.
  private static func badUploads(_ run: ClauseRun) throws -> [(request: OutgoingRequest, device: Int)] {
    var uploads: [(request: OutgoingRequest, device: Int)] = []
    func add(inBatch: Bool = false, _ records: (ConformancePhone) throws -> [SentRecord]) throws {
      let phone = try run.phone { $0.http.batchSync = inBatch }
      uploads.append((try run.request(phone, try records(phone)), phone.number))
    }
    for _ in 0..<3 {
      try add { [run.fix($0)] }
      if let whole = uploads.popLast() { uploads.append((whole.request.withHalfItsBody, whole.device)) }
      try add { [run.fix($0)] }
      try add { [try badRecord(run, $0, isBare: false)] }
      if run.facts.prefersBatches {
        try add(inBatch: true) { [run.fix($0), run.fix($0), try badRecord(run, $0, isBare: false)] }
      }
    }
    return uploads
  }
}

extension OutgoingRequest {
  /// The request as a middlebox might truncate it: complete HTTP, but invalid JSON.
  fileprivate var withHalfItsBody: OutgoingRequest {
    OutgoingRequest(
      id: id, purpose: purpose, method: method, url: url, headers: headers, body: Array(body.prefix(body.count / 2)),
      timeout: timeout)
  }
}
