import BackendStore
import Base
import Scenario
import Store
import Upload

/// The comparison of the devices' records with the server's store.
extension Ledger {
  var needsProof: Bool { unproven.count >= proofSize }

  /// Looks up everything that has left the queues since the last call; without a proof it stays unverified.
  func prove(by proof: (any StoreProof)?) {
    guard let proof, nameless == nil else {
      for dequeued in unproven { believe(dequeued) }
      return unproven.removeAll()
    }
    let (order, dequeuedRecords) = (unproven.byDevice, unproven)
    var start = 0
    while start < order.count {
      var end = start
      while end < order.count && dequeuedRecords[order[end]].device == dequeuedRecords[order[start]].device { end += 1 }
      let records = order[start..<end].map { dequeuedRecords[$0] }
      prove(records, by: proof)
      checkOrder(of: records, by: proof)
      start = end
    }
    unproven.removeAll()
  }

  private func prove(_ dequeuedRecords: [DequeuedRecord], by proof: any StoreProof) {
    guard let device = dequeuedRecords.first.map({ Int($0.device) }) else { return }
    let notOwed = dequeuedRecords.lazy.filter {
      !$0.marks.contains(.isAcknowledged) || self.mayBeHidden($0, from: proof)
    }
    let missing = proof.missing(
      dequeuedRecords.map(\.key), of: names[device], notOwed: Set(notOwed.map(\.uuid)))
    guard let missing else {
      for dequeued in dequeuedRecords { believe(dequeued) }
      return
    }
    let missingKeys = Set(missing)
    let absent = dequeuedRecords.filter { $0.marks.contains(.isAcknowledged) && missingKeys.contains($0.key) }
    let quarantined = absent.isEmpty ? QuarantinedRecords() : proof.quarantined(of: names[device])
    // The count of an answer includes quarantined records that the store lists; only the rest of it explains others.
    for dequeued in absent where quarantined.holds(dequeued.uuid, mark: dequeued.mark) { takeFromAnswer(dequeued) }
    for dequeued in dequeuedRecords {
      guard missingKeys.contains(dequeued.key) else {
        find(dequeued, by: proof)
        continue
      }
      guard dequeued.marks.contains(.isAcknowledged) else { continue }
      if quarantined.holds(dequeued.uuid, mark: dequeued.mark) || takeFromAnswer(dequeued) {
        sums.quarantined += 1
      } else if mayBeHidden(dequeued, from: proof) {
        sums.unverified += 1
      } else if !dequeued.marks.contains(.isServers) {
        if !dequeued.marks.contains(.isExplained) {
          sums.lostToPages += 1
          lost.append(LostRecord(dequeued, of: names[device], .page))
        }
        mislead(dequeued)
      } else {
        lose(dequeued, by: proof)
      }
    }
    losses.closeDevice()
  }

  /// Reports whether a store that does not show what it quarantines may have the record nevertheless.
  private func mayBeHidden(_ dequeued: DequeuedRecord, from proof: any StoreProof) -> Bool {
    dequeued.marks.isSuperset(of: [.isInvalid, .isServers]) && !proof.showsQuarantine
  }

  /// Enters a record that is in the store.
  private func find(_ dequeued: DequeuedRecord, by proof: any StoreProof) {
    let device = Int(dequeued.device)
    pages[device].stored.add(dequeued.uuid)
    guard dequeued.marks.contains(.isAcknowledged) else { return }
    sums.stored += 1
    if !seesServer { count(dequeued, isLost: false) }
    // A quarantine need not show the fields of an invalid record.
    guard !dequeued.marks.contains(.isInvalid), let content = traits.content(of: dequeued.traits),
      let stored = proof.content(of: dequeued.uuid, of: names[device])
    else { return }
    let comparison = content.comparison(with: stored)
    contents.note(comparison, of: dequeued)
    if let difference = comparison.difference { change(dequeued, difference) }
  }

  /// Notes a difference that represents `count` records.
  private func change(_ dequeued: DequeuedRecord, _ difference: String, count: Int = 1) {
    sums.changed += count
    violations.flag(
      .ackedIsDurable, Int(dequeued.device), dequeued.uuid, at: dequeued.at, times: count,
      "stored differently from what was sent: \(difference)",
      story: [
        "\(dequeued.createdAt.clockText) created", dequeued.end,
      ])
  }

  /// Judges which fields a store keeps, once all of it was read.
  private func closeContents() {
    for (fields, count, first) in contents.lacking {
      let others = count > 1 ? "; so are \((count - 1).of("other"))" : ""
      change(first, "without \(fields.text) as sent, \(contents.reason(for: fields))\(others)", count: count)
    }
  }

  private func count(_ dequeued: DequeuedRecord, isLost: Bool) {
    let event = traits.events[Int(dequeued.traits.event)]
    losses.count(dequeued, event: event, of: names[Int(dequeued.device)], isLost: isLost)
  }

  /// Takes one record from the number that the answer reports as quarantined; the answer does not say which records these are.
  @discardableResult private func takeFromAnswer(_ dequeued: DequeuedRecord) -> Bool {
    let key = QuarantiningRequest(device: dequeued.device, request: dequeued.request)
    guard let count = quarantinedByAnswers[key] else { return false }
    quarantinedByAnswers[key] = count > 1 ? count - 1 : nil
    return true
  }

  /// Enters a record of which it is unknown whether it is stored: its answer decides, unless that was an HTML page.
  private func believe(_ dequeued: DequeuedRecord) {
    guard dequeued.marks.contains(.isAcknowledged) else { return }
    if dequeued.marks.contains(.isServers) { sums.unverified += 1 } else { mislead(dequeued) }
  }

  /// Enters a record that an HTML page with status 200 answered: the page is a portal's where the scenario has one; otherwise
  /// nothing excuses it.
  private func mislead(_ dequeued: DequeuedRecord) {
    sums.misled += 1
    guard !dequeued.marks.contains(.isExplained) else {
      return violations.remark(
        Int(dequeued.device), dequeued.uuid, at: dequeued.at,
        "deleted on status \(dequeued.status) to request \(dequeued.request), which the server has not given: "
          + "a captive portal or a proxy has answered in its place")
    }
    violations.flag(
      .ackedIsDurable, Int(dequeued.device), dequeued.uuid, at: dequeued.at,
      "deleted on status \(dequeued.status) to request \(dequeued.request) with a page of HTML, which no fault of the "
        + "scenario explains: the target, or a proxy before it, answers with a page")
  }

  private func lose(_ dequeued: DequeuedRecord, by proof: any StoreProof) {
    sums.lost += 1
    let holder = proof.holder(of: dequeued.uuid)
    if holder != nil {
      losses.misplaced += 1
      sums.misplaced += 1
    }
    if !seesServer { count(dequeued, isLost: true) }
    lost.append(LostRecord(dequeued, of: names[Int(dequeued.device)], holder.map { .elsewhere($0) } ?? .missing))
    let end =
      holder.map { "server: listed for another device, \($0)" }
      ?? (proof.isShared
        ? "server: not listed for the device" : "server: neither in the store nor quarantined")
    violations.flag(
      .ackedIsDurable, Int(dequeued.device), dequeued.uuid, at: dequeued.at,
      holder == nil
        ? "deleted after the server's status \(dequeued.status), and not in the server's store"
        : "deleted after the server's status \(dequeued.status), and stored under a wrong device",
      story: [
        "\(dequeued.createdAt.clockText) created",
        "sent \(dequeued.attempts.of("time")), at the server \(dequeued.arrivals.of("time"))",
        dequeued.end, end,
      ])
  }

  /// Counts the records that still wait at the end of the settle phase. `isCut`: there was no time to deliver them.
  func closeQueues(at instant: MonotonicInstant, isCut: Bool) {
    areQueuesClosed = true
    for device in pages.indices {
      let waiting = pages[device].waiting.all
      sums.pending += waiting.count
      // Their answers were lost, so they may be in the store nevertheless.
      for record in waiting where record.attempts > 0 {
        unproven.append(DequeuedRecord(record, of: device, at: instant))
      }
      if !waiting.isEmpty, isDraining(device, at: instant) { drainingCount += 1 }
      // An external server may accept as little as it likes, and each has its limits; no invariant covers that.
      if seesServer, !isCut, !isDraining(device, at: instant), obstacle(of: device) == nil, let first = waiting.first {
        violations.flag(
          .drain, device, first.uuid, at: instant,
          "\(waiting.count.of("record")) still in the queue, this one the oldest",
          story: ["\(first.createdAt.clockText) created", "sent \(first.attempts.of("time"))"])
      }
    }
  }

  /// Reports whether the device's records are still being accepted, one upload after the other; a settle phase that is too
  /// short for them proves nothing. If none was accepted in that phase and none is under way, the server rejects them.
  func isDraining(_ device: Int, at instant: MonotonicInstant) -> Bool {
    let page = pages[device]
    // A phase without any time proves nothing either.
    if page.healedAt == instant { return true }
    guard let last = page.acknowledgedAt, instant - last < .seconds(30) else { return false }
    return page.upload != nil || page.healedAt.map { last >= $0 } ?? true
  }

  /// Returns what blocks the device's queue, whatever it does: its last upload was longer than the server in the process takes,
  /// or took longer than the configuration allows, or the tokens of its configuration have expired and are not renewed (SDK
  /// §9.1.3, §9.2.3, §11.6).
  private func obstacle(of device: Int) -> RequestEnd? {
    let page = pages[device]
    guard page.waiting.count > 0 else { return nil }
    if page.hasTimedOut { return .failure(.timeout) }
    if let status = page.refusal { return .status(status) }
    return page.answer?.isForLength ?? false ? .status(413) : nil
  }

  /// Counts the devices whose uploads the server in the process cannot take; nil without any.
  func countUndeliverable() -> ServerCounts? {
    let full = pages.indices.compactMap { device in obstacle(of: device).map { (device: device, answer: $0.word) } }
    guard !full.isEmpty else { return nil }
    var counts = ServerCounts()
    (counts.devices, counts.answeredDevices) = (pages.count, full.count)
    count(full, into: &counts)
    return counts
  }

  /// Notes the devices whose records the server has not accepted, each with its last answer.
  func count(_ full: [(device: Int, answer: String)], into counts: inout ServerCounts) {
    counts.fullDevices = full.count
    counts.waitingRecords = full.reduce(0) { $0 + pages[$1.device].waiting.count }
    for (_, answer) in full { counts.lastAnswers[answer, default: 0] += 1 }
    counts.fullSamples = full.prefix(ServerCounts.samplesMax).map {
      "device \(names[$0.device]): \(pages[$0.device].waiting.count.of("record"))"
    }
  }

  /// The sums during the run, before the server is queried: waiting records are pending, acknowledged ones unverified.
  var unprovenSums: LedgerSums {
    var sums = sums
    if !areQueuesClosed { sums.pending += pages.indices.reduce(0) { $0 + pages[$1].waiting.count } }
    for dequeued in unproven {
      guard dequeued.marks.contains(.isAcknowledged) else { continue }
      if dequeued.marks.contains(.isServers) { sums.unverified += 1 } else { sums.misled += 1 }
    }
    return sums
  }

  /// Compares the store with the sums.
  func closeStore(by proof: (any StoreProof)?, at instant: MonotonicInstant) {
    prove(by: proof)
    closeContents()
    // The records that were read are compared, even if others could not be read.
    if let proof, nameless == nil { compare(by: proof, at: instant) }
  }

  private func compare(by proof: any StoreProof, at instant: MonotonicInstant) {
    guard !proof.isShared else {
      // Devices of which no record was looked up are skipped.
      for device in names.indices where pages[device].stored.count > 0 {
        inspectShared(device, by: proof, at: instant)
      }
      return inspectPairs(by: proof, at: instant)
    }
    let store = StoreSums(of: proof, names: names)
    for device in names.indices where store.devices[device] != pages[device].stored {
      inspect(device, by: proof, at: instant)
    }
    if let stranger = store.stranger {
      violations.flag(
        .noPhantom, nil, at: instant, "\(store.strangers) rows of devices that do not exist, such as '\(stranger)'")
    }
  }

  /// Judges records that the store has for two devices, one of which has not made them.
  private func inspectPairs(by proof: any StoreProof, at instant: MonotonicInstant) {
    var numbers: [String: Int] = [:]
    for (number, name) in names.enumerated() { numbers[name] = number }
    proof.forEachOfTwoDevices { uuid, device, other in
      guard proof.wasSent(uuid) else { return }
      sums.duplicateRows += 1
      violations.flag(
        .noPhantom, numbers[device], uuid, at: instant, "in the server's store for this device and for \(other)")
    }
  }

  /// Finds the surplus rows of a device whose rows differ from the proven ones.
  private func inspect(_ device: Int, by proof: any StoreProof, at instant: MonotonicInstant) {
    let rows = rows(of: device, by: proof)
    countRepeats(in: rows, of: device, at: instant)
    var found = SetChecksum()
    for uuid in Set(rows) { found.add(uuid) }
    let expected = pages[device].stored
    guard found != expected else { return }
    let surplus = rows.first { uuid in
      var rest = expected
      rest.add(uuid)
      return rest == found
    }
    violations.flag(
      .noPhantom, device, surplus, at: instant,
      surplus != nil
        ? "in the server's store, and never created by this device"
        : "\(found.count.of("record")) in the server's store, \(expected.count) of which are known")
  }

  /// Judges a device on a server that may hold records of earlier runs: only rows of this run count.
  private func inspectShared(_ device: Int, by proof: any StoreProof, at instant: MonotonicInstant) {
    var (sent, unknown) = ([UUID128](), Set<UUID128>())
    for uuid in rows(of: device, by: proof) {
      if proof.wasSent(uuid) { sent.append(uuid) } else { unknown.insert(uuid) }
    }
    unknownRows += unknown.count
    countRepeats(in: sent, of: device, at: instant)
  }

  /// Returns the stored rows of one device, sorted.
  private func rows(of device: Int, by proof: any StoreProof) -> [UUID128] {
    var uuids: [UUID128] = []
    proof.forEachRecord(of: names[device]) { _, uuid in uuids.append(uuid) }
    uuids.sort()
    return uuids
  }

  /// Counts repeated rows; `rows` is sorted.
  private func countRepeats(in rows: [UUID128], of device: Int, at instant: MonotonicInstant) {
    for (uuid, next) in zip(rows, rows.dropFirst()) where uuid == next {
      sums.duplicateRows += 1
      violations.flag(.noPhantom, device, uuid, at: instant, "in the server's store more than once")
    }
  }
}

extension DequeuedRecord {
  fileprivate var end: String {
    "\(at.clockText) acknowledged by status \(status) to request \(request), and deleted"
  }
}
