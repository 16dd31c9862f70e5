import AnswerCheck
import BackendStore
import Base
import Contract
import Scenario
import Upload

/// The acknowledged records of one phone.
private struct SentSample {
  let device: String
  var singles: [SentRecord] = []
  /// Of each batch.
  var batches: [[SentRecord]] = []
  var records: [SentRecord] { singles + batches.joined() }
}

/// A sample of ordinary records, sent one by one and in small batches, and how many of them fail.
struct GoodRecordSample {
  /// The uploads of one form.
  struct Share {
    var uploads = 0
    var records = 0
    /// The number of records that were acknowledged and are not in the store, and of the uploads with such records.
    var lost = 0
    var uploadsWithLoss = 0
    /// The number of records that were found in the store.
    var looked = 0
    var failed: [ConformancePhone.Upload] = []
  }

  /// The number of records in which a field is stored with a different value.
  struct Alteration {
    var singles = 0
    var others = 0
    var count: Int { singles + others }
    let clause: String
    let breach: Breach
  }

  /// A finding, attributed to the clause that concerns it.
  struct Finding {
    let clause: String
    var breach: Breach
    /// Whether it concerns uploads that were not acknowledged.
    var isOfFailures = false
  }

  var singles = Share()
  var batches = Share()
  var alterations: [String: Alteration] = [:]
  fileprivate var loss: Breach?
  fileprivate var missing: [SoughtRecords] = []
  fileprivate var failure: Breach?

  /// Returns nil if all records succeed, if all fail alike, and after a single failure that no clause has met,
  /// which may be transient.
  func finding(beside broken: [Breach]) -> Finding? { lossFound ?? failureFound(beside: broken) ?? alterationFound }

  private var lossFound: Finding? {
    let (lost, records) = (singles.lost + batches.lost, singles.records + batches.records)
    guard var breach = loss, lost > 0, lost < records else { return nil }
    breach.missing = missing
    breach.cause =
      "\(lost) of \(records) good records \(lost == 1 ? "was acknowledged and is" : "were acknowledged and are") not stored: \(shares(singles.lost, of: singles.records, batches.lost, of: batches.records))"
    let isOfBatches = singles.lost == 0 && isOfBatches(batches.uploadsWithLoss)
    return Finding(clause: isOfBatches ? "batch-all-stored" : "stored-when-acknowledged", breach: breach)
  }

  private static let chanceMax = 0.001

  /// Reports whether so many of the batches, and no single upload, cannot be chance: as when each fiftieth upload fails.
  func isOfBatches(_ count: Int) -> Bool {
    let chance = (0..<count).reduce(1.0) { chance, index in
      chance * Double(batches.uploads - index) / Double(singles.uploads + batches.uploads - index)
    }
    return chance < GoodRecordSample.chanceMax
  }

  private func failureFound(beside broken: [Breach]) -> Finding? {
    let all = singles.failed + batches.failed
    let uploads = singles.uploads + batches.uploads
    guard var breach = failure, let last = all.last, all.count < uploads else { return nil }
    let isMet = broken.contains { $0.signs.contains { $0.traits.contains(.failure) } }
    guard all.count > 1 || isMet else { return nil }
    let end = last.status == 0 ? "had no answer" : "were answered with an error"
    breach.cause =
      "\(all.count) of \(uploads) uploads of good records \(end) (\(last.outcome.text.shortened(120))): \(shares(singles.failed.count, of: singles.uploads, batches.failed.count, of: batches.uploads))"
    let isOfBatches = singles.failed.isEmpty && isOfBatches(batches.failed.count)
    return Finding(
      clause: isOfBatches ? "batch-all-stored" : "good-record-acknowledged", breach: breach, isOfFailures: true)
  }

  private var alterationFound: Finding? {
    guard let (field, most) = alterations.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }),
      most.count < singles.looked + batches.looked
    else { return nil }
    var breach = most.breach
    let shares = shares(most.singles, of: singles.looked, most.others, of: batches.looked)
    breach.cause =
      "\(most.count) of \(singles.looked + batches.looked) good records \(most.count == 1 ? "is" : "are") stored with another '\(field)', \(shares): \(breach.cause)"
    return Finding(clause: most.clause, breach: breach)
  }

  private func shares(_ one: Int, of ones: Int, _ other: Int, of others: Int) -> String {
    let text = "\(one) of \(ones) sent one by one"
    return batches.uploads == 0 ? text : text + ", \(other) of \(others) in small batches"
  }
}

extension ClauseRun {
  private static let (phonesOfSample, singlesOfPhone, batchesOfPhone) = (8, 5, 2)
  private static let timeForSample = Nanoseconds.seconds(8)

  /// Returns nil if the sample could not be taken.
  func sampleOfGoodRecords() -> GoodRecordSample? {
    var sample = GoodRecordSample()
    let begin = now
    let end = begin + ClauseRun.timeForSample
    do {
      var sent: [SentSample] = []
      for number in 0..<ClauseRun.phonesOfSample where number < 2 || now < end {
        guard let each = try send(as: number, into: &sample, since: begin) else { return nil }
        sent.append(each)
      }
      sample.failure = (sample.singles.failed + sample.batches.failed).last.map { breach("", harm: .repeat, $0) }
      if target.store != nil, try !lookForAll(sent, into: &sample) { return nil }
    } catch { return nil }
    return sample
  }

  private static let (singlesOfRow, timeForRow) = (1_000, Nanoseconds.seconds(4))

  /// Sends many records one by one over one connection; nil if that is impossible.
  func rowOfGoodRecords() -> GoodRecordSample? {
    var sample = GoodRecordSample()
    let end = now + ClauseRun.timeForRow
    do {
      let phone = try phone(named: "row") {
        ($0.http.batchSync, $0.http.timeoutMilliseconds) = (false, 3_000)
      }
      while now < end, sample.singles.uploads < ClauseRun.singlesOfRow {
        _ = try send(1, by: phone, 1, into: &sample.singles)
      }
      sample.failure = sample.singles.failed.last.map { breach("", harm: .repeat, $0) }
    } catch { return nil }
    return sample
  }

  private static let (singlesAlone, restBefore, restBetween) = (40, 500, 40)
  private static let timeForSingles = Nanoseconds.seconds(5)

  /// Reports whether single uploads are accepted, each on a new connection, after earlier ones have ended.
  func takesSingleUploads() -> Bool {
    let end = now + ClauseRun.timeForSingles
    pause(ClauseRun.restBefore)
    do {
      let phone = try phone(named: "alone") { $0.http.batchSync = false }
      for _ in 0..<ClauseRun.singlesAlone where now < end {
        _ = leaveLine()
        phone.take(try line())
        phone.put([fix(phone)])
        guard uploadWithRetries(phone).last?.isSuccess ?? false else { return false }
        pause(ClauseRun.restBetween)
      }
    } catch { return false }
    return true
  }

  /// Sends a phone's part; returns nil when all uploads fail alike. Every other phone uses a new connection for each upload,
  /// because one node or new connections may be at fault.
  private func send(
    as number: Int, into sample: inout GoodRecordSample, since begin: MonotonicInstant
  ) throws -> SentSample? {
    let phone = try phone(named: "sample\(number)") {
      $0.http.timeoutMilliseconds = facts.isSlow ? 10_000 : 3_000
    }
    var sent = SentSample(device: phone.name)
    // In either order: one of several nodes may get each seventh upload.
    let isReversed = number / 2 % 2 == 1
    for isBatch in [isReversed, !isReversed] where !isBatch || facts.takesBatches {
      phone.configure { $0.http.batchSync = isBatch }
      for _ in 0..<(isBatch ? ClauseRun.batchesOfPhone : ClauseRun.singlesOfPhone) {
        if isBatch {
          sent.batches.append(try send(3, by: phone, number, into: &sample.batches))
          continue
        }
        sent.singles += try send(1, by: phone, number, into: &sample.singles)
        let (uploads, failed) = (sample.singles.uploads, sample.singles.failed.count)
        if uploads == failed, uploads >= ClauseRun.singlesOfPhone || now - begin > .seconds(5) { return nil }
      }
    }
    return sent
  }

  /// Returns the acknowledged records. Like the SDK, it repeats a rejected upload until it is accepted.
  private func send(
    _ count: Int, by phone: ConformancePhone, _ number: Int, into share: inout GoodRecordSample.Share
  ) throws -> [SentRecord] {
    try keepTime()
    let records = (0..<count).map { _ in fix(phone) { $0.extras = object(#"{"k":"v"}"#) } }
    if number.isMultiple(of: 2) {
      _ = leaveLine()
      phone.take(try line())
    }
    phone.put(records)
    (share.uploads, share.records) = (share.uploads + 1, share.records + count)
    for attempt in 0..<4 {
      guard let upload = uploadWithRetries(phone).last else { break }
      if upload.isSuccess { break }
      if attempt == 0, !RateLimit.isThrottling(upload.status) { share.failed.append(upload) }
      if upload.status == 0, attempt > 0 { break }
    }
    return phone.queuedCount == 0 ? records : []
  }

  /// Looks up all records. Returns false if none of the first phones' records is stored. A list may come from a lagging node,
  /// so missing records are looked up again after the time that the first record of a run is given.
  private func lookForAll(_ sent: [SentSample], into sample: inout GoodRecordSample) throws -> Bool {
    let sent = sent.filter { !$0.records.isEmpty }
    var looks: [FoundRecords] = []
    for each in sent {
      looks.append(try look(for: each.records, of: each.device))
      if looks.count == 2, looks.indices.allSatisfy({ looks[$0].missing.count == sent[$0].records.count }) {
        return false
      }
    }
    if looks.contains(where: { !$0.missing.isEmpty }) {
      pause(Int((unsettledTime + ClauseRun.timeToAppear).wholeMilliseconds))
      for index in looks.indices where !looks[index].missing.isEmpty {
        try keepTime()
        looks[index] = try look(for: sent[index].records, of: sent[index].device)
      }
    }
    for (each, look) in zip(sent, looks) { note(each, look, into: &sample) }
    return true
  }

  private func note(_ sent: SentSample, _ look: FoundRecords, into sample: inout GoodRecordSample) {
    for record in sent.singles where look.entry(of: record) != nil {
      sample.singles.looked += 1
      note(record, \.singles, look, into: &sample)
    }
    for record in sent.batches.joined() where look.entry(of: record) != nil {
      sample.batches.looked += 1
      note(record, \.others, look, into: &sample)
    }
    guard let first = look.missing.first else { return }
    let missing = Set(look.missing.map(\.uuid))
    sample.singles.lost += sent.singles.count { missing.contains($0.uuid) }
    for batch in sent.batches {
      let lost = batch.count { missing.contains($0.uuid) }
      sample.batches.lost += lost
      sample.batches.uploadsWithLoss += lost > 0 ? 1 : 0
    }
    showRequest(of: first)
    var breach = breach(
      "", harm: .lose, stored: "of '\(sent.device)': \(look.listed) entries, without \(first.uuid.upperCaseText)")
    breach.signs = [.loss]
    sample.loss = breach
    note(missing: look.missing, of: sent.device)
    sample.missing += self.missing
  }

  private func note(
    _ record: SentRecord, _ count: WritableKeyPath<GoodRecordSample.Alteration, Int>, _ look: FoundRecords,
    into sample: inout GoodRecordSample
  ) {
    for field in ClauseRun.usualFields + ["extras"] where facts.shows(field) {
      // Of each field one record is shown, with its commands.
      hasNoCommandLine = sample.alterations[field] != nil
      defer { hasNoCommandLine = false }
      do { try expectSame([field], of: record, in: look) } catch ClauseStop.broken(let breach) {
        let clause = BreachSign.clause(about: field, isSlight: isSlight(field, record, look))
        sample.alterations[field, default: GoodRecordSample.Alteration(clause: clause, breach: breach)][
          keyPath: count] += 1
        return
      } catch { continue }
    }
  }

  /// Reports whether the difference is below a second, or about a kilometre.
  private func isSlight(_ field: String, _ record: SentRecord, _ look: FoundRecords) -> Bool {
    guard let sent = record.value.value(at: field), let stored = look.entry(of: record)?.value(field) else {
      return false
    }
    if field == "timestamp" {
      return stored.instant.map { abs($0.milliseconds(since: record.timestamp)) < 1_000 } ?? false
    }
    guard let mine = stored.double, let theirs = sent.double else { return false }
    return abs(mine - theirs) < 0.01
  }
}
