import Base
import CurlTransport
import Queue
import Scenario
import Upload
import Vocabulary

/// What becomes of records and of the requests that carry them.
extension Measures {
  func enter(_ note: QueueNote, _ sighting: Sighting) {
    let device = sighting.device
    switch note {
    case .inserted(_, let row, let uuid, let timestamp, _):
      let age = sighting.now.wall.millisecondsSince1970 - timestamp.millisecondsSince1970
      // A clock that was set meanwhile tells nonsense; no fix is older than that when it becomes a record.
      let ageBefore = Nanoseconds.milliseconds(min(max(age, 0), 600_000))
      change(device) { state in
        state.backlog.append(
          Backlog.Record(row: row, uuid: uuid, insertedAt: now, ageBefore: ageBefore, faults: state.faults))
      }
      let tags = tags(of: device)
      chart.current.created += 1
      chart.backlog += 1
      table.count(.recordsCreated, tags)
      table.record(.queueDepth, UInt64(devices[device].backlog.count), tags)
      if let oldest = devices[device].backlog.oldest {
        table.record(.queueOldestAge, now - oldest.insertedAt + oldest.ageBefore, tags)
      }
    case .deleted(_, let row, let cause): leave(row, cause, of: device)
    case .refused: break
    }
  }

  private func leave(_ row: Int64, _ cause: QueueNote.Cause, of device: Int) {
    var left: Backlog.Record?
    change(device) { left = $0.backlog.remove(row: row) }
    guard let record = left else { return }
    var tags = tags(of: device)
    tags.faults |= record.faults
    chart.backlog -= 1
    switch cause {
    case .upload:
      let latency = now - record.insertedAt + record.ageBefore
      chart.current.delivered += 1
      chart.current.deliveryLatency.record(milliseconds: latency.seconds * 1_000)
      table.count(.recordsDelivered, tags)
      table.record(.recordDeliveryLatency, latency, tags)
      table.record(.retriesPerRecord, UInt64(max(record.requests - 1, 0)), tags)
    case .age: table.count(.recordsExpired, tags)
    case .room: table.count(.recordsEvicted, tags)
    case .order: break
    }
    if devices[device].backlog.count == 0, let start = devices[device].drainsSince {
      change(device) { $0.drainsSince = nil }
      table.record(.drainTime, now - start, tags)
    }
  }

  func depart(_ request: OutgoingRequest, of device: Int) {
    guard let cargo = request.cargo else { return }
    var flight = Flight(sentAt: now, bytes: request.body.count, cargo: cargo)
    flight.isSettling = devices[device].isSettling
    change(device) { state in
      flight.faults = state.faults | state.backlog.sent(cargo.uuids)
      state.flights.append((request.id, flight))
    }
    let tags = tags(of: flight, device)
    table.record(.uploadWait, now - cargo.triggeredAt, tags)
    table.record(.batchSize, UInt64(cargo.uuids.count), tags)
    table.record(.uploadBytes, UInt64(flight.bytes), tags)
  }

  /// What a modelled link says of an upload.
  func connect(_ request: UInt64, isNew: Bool, of device: Int) {
    guard let flight = devices[device].flights.first(where: { $0.request == request })?.flight else { return }
    let tags = tags(of: flight, device)
    table.count(.connects, tags, isNew ? 1 : 0)
    table.judge(.connectionReuse, !isNew, tags)
  }

  /// What a real network says of an upload.
  func carry(_ request: UInt64, _ timings: TransferTimings, of device: Int) {
    guard let index = devices[device].flights.firstIndex(where: { $0.request == request }) else { return }
    change(device) { $0.flights[index].flight.serviceTime = timings.total }
    let tags = tags(of: devices[device].flights[index].flight, device)
    table.count(.connects, tags, timings.newConnections)
    table.judge(.connectionReuse, timings.newConnections == 0, tags)
    if timings.secured > .zero { table.count(.tlsHandshakes, tags, timings.newConnections) }
  }

  private func tags(of flight: Flight, _ device: Int) -> SampleTags {
    var tags = tags(of: device)
    tags.faults |= flight.faults
    tags.isSettling = flight.isSettling
    tags.isBatch = flight.cargo.isBatch
    tags.trigger = flight.cargo.trigger
    return tags
  }

  /// `outcome` is nil when the app was killed meanwhile.
  func end(_ flight: Flight, _ outcome: RequestOutcome?, of device: Int) {
    let status = outcome?.status ?? 0
    let isFailed = !(200..<300).contains(status)
    var tags = tags(of: flight, device)
    tags.status = status
    chart.current.uploads += 1
    chart.current.bytes += flight.bytes
    if isFailed { chart.current.failed += 1 }
    answerCounts[outcome?.word ?? "app ended", default: 0] += 1
    table.count(.uploads, tags)
    table.judge(.uploadFailed, isFailed, tags)
    guard case .answered(_, _, let body)? = outcome else { return }
    let duration = flight.serviceTime ?? now - flight.sentAt
    chart.current.uploadDuration.record(milliseconds: duration.seconds * 1_000)
    table.record(.uploadDuration, duration, tags)
    let answer = Answer(flight: flight, status: status, bytes: body.count, duration: duration)
    for (index, check) in scenario.checks.enumerated() {
      tags.check = index
      table.judge(.checks, answer.meets(check.value), tags)
      checkCounts[index].judge(answer.meets(check.value))
    }
  }
}
