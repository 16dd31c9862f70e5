import Base
import Scenario
import Store

/// What the devices believe, against what the server has.
extension Ledger {
  var needsProof: Bool { unproven.count >= proofSize }

  /// Asks for everything that has left the queues since the last time; without anybody to ask it stays unverified.
  func prove(by proof: (any StoreProof)?) {
    guard let proof else {
      for departure in unproven { believe(departure) }
      return unproven.removeAll(keepingCapacity: true)
    }
    unproven.sort { ($0.device, $0.record.uuid) < ($1.device, $1.record.uuid) }
    var start = 0
    while start < unproven.count {
      var end = start
      while end < unproven.count && unproven[end].device == unproven[start].device { end += 1 }
      prove(unproven[start..<end], by: proof)
      start = end
    }
    unproven.removeAll(keepingCapacity: true)
  }

  private func prove(_ departures: ArraySlice<Departure>, by proof: any StoreProof) {
    guard let device = departures.first?.device else { return }
    guard let missing = proof.missing(departures.map(\.record.key), of: names[device]) else {
      for departure in departures { believe(departure) }
      return
    }
    var next = missing.startIndex
    var putAside: Set<UInt64>?
    for departure in departures {
      guard next < missing.endIndex, missing[next] == departure.record.key else {
        pages[device].stored.add(departure.record.uuid)
        if departure.answer != nil { sums.stored += 1 }
        continue
      }
      next += 1
      guard let answer = departure.answer else { continue }
      let marks = putAside ?? proof.quarantined(of: names[device])
      putAside = marks
      if marks.contains(departure.record.mark) {
        sums.quarantined += 1
      } else if !answer.isServers {
        mislead(departure, answer)
      } else {
        sums.lost += 1
        blame(departure, answer)
      }
    }
  }

  /// Nobody can say whether it is stored: its answer has the last word, unless a page of HTML has it.
  private func believe(_ departure: Departure) {
    guard let answer = departure.answer else { return }
    if answer.isServers { sums.unverified += 1 } else { mislead(departure, answer) }
  }

  private func mislead(_ departure: Departure, _ answer: ReadAnswer) {
    sums.misled += 1
    violations.remark(
      departure.device, departure.record.uuid, at: departure.at,
      "deleted on status \(answer.status) to request \(answer.request), which the server has not given: "
        + "a captive portal or a proxy has answered in its place")
  }

  private func blame(_ departure: Departure, _ answer: ReadAnswer) {
    let record = departure.record
    violations.blame(
      .ackedIsDurable, departure.device, record.uuid, at: departure.at,
      "deleted after the server's status \(answer.status), and not in the server's store",
      story: [
        "\(record.createdAt.clockText) created",
        "sent \(record.attempts.of("time")), at the server \(record.arrivals.of("time"))",
        "\(departure.at.clockText) acknowledged by status \(answer.status) to request \(answer.request), and deleted",
        "server: neither in the store nor put aside",
      ])
  }

  /// The end of the settle phase: what still waits, and the whole store against the sums.
  func close(by proof: (any StoreProof)?, at instant: MonotonicInstant) {
    prove(by: proof)
    for device in pages.indices {
      let waiting = pages[device].waiting.all
      sums.pending += waiting.count
      // Their answers were lost: they may be in the store all the same.
      for record in waiting where record.attempts > 0 {
        unproven.append(Departure(record: record, device: device, at: instant))
      }
      if let first = waiting.first {
        violations.blame(
          .drain, device, first.uuid, at: instant,
          "\(waiting.count.of("record")) still in the queue, this one the oldest",
          story: ["\(first.createdAt.clockText) created", "sent \(first.attempts.of("time"))"])
      }
    }
    prove(by: proof)
    if let proof, proof.refusal == nil { compare(StoreSums(of: proof, names: names), by: proof, at: instant) }
  }

  private func compare(_ store: StoreSums, by proof: any StoreProof, at instant: MonotonicInstant) {
    for device in names.indices where store.devices[device] != pages[device].stored {
      inspect(device, by: proof, at: instant)
    }
    if let stranger = store.stranger, !proof.isShared {
      violations.blame(
        .noPhantom, nil, at: instant, "\(store.strangers) rows of devices that do not exist, such as '\(stranger)'")
    }
  }

  /// One device whose rows are not those that were proven: which of them are too many.
  private func inspect(_ device: Int, by proof: any StoreProof, at instant: MonotonicInstant) {
    var uuids: [UUID128] = []
    proof.forEachRecord(of: names[device]) { _, uuid in uuids.append(uuid) }
    uuids.sort()
    var rows = MarkedSum()
    var previous: UUID128?
    for uuid in uuids {
      if uuid == previous {
        sums.duplicateRows += 1
        violations.blame(.noPhantom, device, uuid, at: instant, "in the server's store more than once")
      } else {
        rows.add(uuid)
      }
      previous = uuid
    }
    let expected = pages[device].stored
    // A shared server may have what an earlier run has left there.
    guard rows != expected, !proof.isShared else { return }
    let surplus = uuids.first { uuid in
      var rest = expected
      rest.add(uuid)
      return rest == rows
    }
    violations.blame(
      .noPhantom, device, surplus, at: instant,
      surplus != nil
        ? "in the server's store, and never created by this device"
        : "\(rows.count.of("record")) in the server's store, \(expected.count) of which are known")
  }
}
