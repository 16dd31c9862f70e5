import AnswerCheck
import Base
import Contract
import Scenario
import Upload

/// A batch with records of more than one day.
extension ConformanceClause {
  static let midnight: [ConformanceClause] = [
    ConformanceClause(
      "batch-over-midnight", .batches, .must, .lose,
      "A batch with records of two days is stored, and each of them is known when it comes again in another one",
      because:
        "a drive does not end at midnight: tables or files of one day, chosen by the first record of a batch, lose the others or take them for new ones (SDK §8.4, §9.4)",
      presumes: ["batch-all-stored", "late-behind-newer", "resend-grown-batch", "resend-batch-after-cut-answer"],
      overMidnight)
  ]

  private static func overMidnight(_ run: ClauseRun) throws {
    try run.needBatches(of: 3)
    let day: Int64 = 86_400_000
    let midnight = run.settings.start.millisecondsSince1970 / day * day
    let oldest = run.settings.start.advanced(byMilliseconds: -run.target.dialect.promises.oldest.wholeMilliseconds)
    let times = [-1_437, 863, 2_063].map { WallInstant(millisecondsSince1970: midnight + $0) }
    if times[0] < oldest { throw ClauseStop.notApplicable("the dialect keeps no records of yesterday") }
    let phone = try run.phone { ($0.http.batchSync, $0.persistence.maxDaysToPersist) = (true, 30) }
    let records = times.map { run.fix(phone, at: $0) }
    try run.deliver(phone, records, as: "a batch of two days")
    try run.expectOnce(records, of: phone.name, among: " of a batch of two days")
    // Without the record before midnight, the first one of the batch is of the second day.
    try run.deliver(phone, Array(records.dropFirst()), as: "the records of the second day, which were sent before,")
    try run.expectOnce(records, of: phone.name, among: " of a batch of two days, of which one came again,")
  }
}
