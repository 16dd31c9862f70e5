import Base
import CurlTransport
import Oracle
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// The measures of records and of the requests that carry them.
extension Measures {
  func enter(_ note: QueueNote, _ context: EventContext) {
    let device = context.device
    switch note {
    case .inserted(_, let row, let uuid, let timestamp, _):
      let age = context.now.wall.millisecondsSince1970 - timestamp.millisecondsSince1970
      // Clamped, because the age is wrong when the clock was set meanwhile; no fix is older than ten minutes when it is recorded.
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
    case .destruction: break
    }
    if devices[device].backlog.count == 0, let start = devices[device].drainsSince {
      change(device) { $0.drainsSince = nil }
      table.record(.drainTime, now - start, tags)
    }
  }

  func depart(_ request: OutgoingRequest, of device: Int) {
    guard let payload = request.payload else { return }
    var flight = Flight(sentAt: now, bytes: request.body.count, payload: payload)
    flight.isSettling = devices[device].isSettling
    flight.network = devices[device].network
    change(device) { state in
      flight.faults = state.faults | state.backlog.sent(payload.uuids)
      state.flights.append((request.id, flight))
    }
    chart.inFlight += 1
    let tags = tags(of: flight, device)
    table.record(.uploadWait, now - payload.triggeredAt, tags)
    table.record(.batchSize, UInt64(payload.uuids.count), tags)
    table.record(.uploadBytes, UInt64(flight.bytes), tags)
  }

  /// Notes a connection of a modelled link. Token requests open connections, too; reuse is measured for uploads.
  func connect(_ request: UInt64, isNew: Bool, of device: Int) {
    let upload = devices[device].flights.first { $0.request == request }?.flight
    let tags = upload.map { self.tags(of: $0, device) } ?? tagsOfOther(device)
    table.count(.connects, tags, isNew ? 1 : 0)
    if upload != nil { table.judge(.connectionReuse, !isNew, tags) }
  }

  /// Notes a connection of a real network, as above.
  func carry(_ request: UInt64, _ timings: TransferTimings, of device: Int) {
    let upload = devices[device].flights.firstIndex { $0.request == request }
    let tags = upload.map { self.tags(of: devices[device].flights[$0].flight, device) } ?? tagsOfOther(device)
    table.count(.connects, tags, timings.newConnections)
    if let upload {
      // A request that was not sent has taken no time.
      if timings.total > .zero { change(device) { $0.flights[upload].flight.serviceTime = timings.total } }
      table.judge(.connectionReuse, timings.newConnections == 0, tags)
      table.count(.uploadsRepeated, tags, timings.repetitions)
      repeatedUploads += timings.repetitions
    }
    guard timings.secured > .zero, timings.newConnections > 0 else { return }
    table.count(.tlsHandshakes, tags, timings.newConnections)
    if timings.isResumed { table.count(.tlsResumed, tags) }
    table.record(.tlsHandshakeTime, timings.secured - timings.connected, tags)
  }

  /// Returns the tags of a request that is not an upload.
  private func tagsOfOther(_ device: Int) -> SampleTags {
    var tags = tags(of: device)
    tags.isSettling = devices[device].isSettling
    return tags
  }

  private func tags(of flight: Flight, _ device: Int) -> SampleTags {
    var tags = tags(of: device)
    tags.faults |= flight.faults
    tags.network = flight.network
    tags.isSettling = flight.isSettling
    tags.isBatch = flight.payload.isBatch
    tags.trigger = flight.payload.trigger
    return tags
  }

  /// Reports whether the phone left its network while it waited in accelerated time. There it waits longer in its own time,
  /// so that such ends say nothing about the server.
  private func isCutByPace(_ outcome: RequestOutcome?) -> Bool {
    (setup.outside?.factor ?? 1) > 1 && outcome.map(RequestEnd.init) == .leftNetwork
  }

  /// Reports whether the end of the drives aborted the upload: no network changes after it.
  private func isCutByEndOfDrives(_ outcome: RequestOutcome?, _ device: Int) -> Bool {
    devices[device].isSettling && outcome.map(RequestEnd.init) == .leftNetwork
  }

  /// Notes the end of an upload. `outcome` is nil when the app was killed meanwhile.
  func end(_ flight: Flight, _ outcome: RequestOutcome?, of device: Int) {
    let status = outcome?.status ?? 0
    let isFailed = !(200..<300).contains(status)
    var tags = tags(of: flight, device)
    tags.status = status
    chart.inFlight -= 1
    chart.current.uploads += 1
    chart.current.bytes += flight.bytes
    let isCut = isCutByEndOfDrives(outcome, device)
    if isFailed && !isCut { chart.current.failed += 1 }
    if let outcome { uploadEnds[RequestEnd(outcome), default: 0] += 1 } else { abandonedUploads += 1 }
    table.count(.uploads, tags)
    devices[device].refusals.endUpload(status: status)
    if !isCut && !isCutByPace(outcome) { table.judge(.uploadFailed, isFailed, tags) }
    let duration = flight.serviceTime ?? now - flight.sentAt
    switch outcome {
    case .answered(_, _, let body)?:
      record(duration, tags)
      check(Answer(flight: flight, status: status, bytes: body.count, duration: duration), tags, of: device)
    case .failed(.timeout, message: _)?:
      // It took at least this long: without it, a server would be the faster the more it leaves unanswered.
      record(duration, tags)
    case .failed?, nil: break
    }
  }

  private func record(_ duration: Nanoseconds, _ tags: SampleTags) {
    chart.current.uploadDuration.record(milliseconds: duration.seconds * 1_000)
    table.record(.uploadDuration, duration, tags)
  }
}

extension Measures {
  /// Returns the summary of `report` and the measures at the end of the run. May be called again with a later report.
  package func summary(of report: RunReport, hash scenarioHash: String, product: String) -> RunSummary {
    concluded(by: report) { summary(concludedBy: report, hash: scenarioHash, product: product) }
  }

  /// Calls `body` with the figures completed by what only the end of the run shows.
  func concluded<Result>(by report: RunReport, _ body: () -> Result) -> Result {
    let before = (table, chart, checkCounts, unauthorized)
    defer { (table, chart, checkCounts, unauthorized) = before }
    for device in devices.indices {
      for entry in devices[device].flights { leave(entry.flight, of: device, isOver: report.ending != .running) }
    }
    chart.finish(at: now)
    if report.ending != .running {
      loadAtEnd = loadAtEnd ?? chart.processor
      chart.processor = loadAtEnd
    }
    settleUnauthorized()
    enter(report.sums)
    enterRefusals()
    return body()
  }

  /// Counts an upload that is under way. At the end of the run it is one without a 2xx.
  private func leave(_ flight: Flight, of device: Int, isOver: Bool) {
    var tags = tags(of: flight, device)
    if isOver { tags.status = 0 }
    table.count(.uploads, tags)
    guard isOver else { return }
    table.judge(.uploadFailed, true, tags)
    chart.current.uploads += 1
    chart.current.failed += 1
    chart.current.bytes += flight.bytes
  }

  private func summary(concludedBy report: RunReport, hash scenarioHash: String, product: String) -> RunSummary {
    let elapsed = now - MonotonicInstant(nanoseconds: 0)
    var summary = RunSummary(
      scenario: scenario.name, scenarioHash: scenarioHash, seed: report.seed, mode: scenario.clock.mode.rawValue,
      shard: nil, product: product, start: setup.start, duration: setup.duration, settle: setup.settle,
      fleets: setup.fleets.indices.map {
        RunSummary.Fleet(
          name: setup.fleets[$0].name, devices: report.fleetDevices[$0], hash: report.fleetHashes[$0].text)
      },
      ended: elapsed, hash: report.hash.text, timeline: chart.timeline)
    summary.ending = report.ending == .completed && hasSeenEnough ? .threshold : report.ending
    (summary.events, summary.requests, summary.drained) = (report.events, report.requests, report.drained)
    summary.ledger = report.sums
    summary.groups = table.groups
    summary.metrics = figures
    summary.metrics += judge.figures(in: table, chart, besides: summary.metrics)
    summary.checks = zip(scenario.checks, checkCounts).map { check, cell in
      CheckResult(name: check.name, held: cell.hits, failed: cell.total - cell.hits)
    }
    summary.thresholds = judge.verdicts(in: table, chart, elapsed)
    summary.violations = report.violations.map(ViolationStory.init)
    summary.remarks = report.remarks.map(ViolationStory.init)
    summary.verification = report.verification
    (summary.serverCounts, summary.findings) = (report.serverCounts, report.findings)
    summary.answers = RequestEnd.words(uploadEnds)
    if abandonedUploads > 0 { summary.answers[RequestEnd.abandonedWord] = abandonedUploads }
    let open = devices.reduce(0) { $0 + $1.flights.count }
    if open > 0 { summary.answers[RequestEnd.openWord] = open }
    // The phase ends as soon as the queues are empty, often long before its limit.
    if let settledSince, summary.ended > settledSince {
      summary.timeline.marks.append(
        Timeline.Mark(
          name: Timeline.settling, from: settledSince, until: min(settledSince + setup.settle, summary.ended)))
    }
    if report.verification.outcome == .failed, let refusal = report.proofRefusal {
      summary.notes.append("the server's store is not verified: \(refusal)")
    }
    if let sentence = report.lossSentence { summary.notes.insert(sentence, at: 0) }
    if repeatedUploads > 0 {
      summary.notes.append(
        "\(repeatedUploads.of("upload")) was repeated on a new connection, as HTTP clients do when an idle connection ends without an answer (RFC 9112 §9.3.1): the server saw more requests than there are uploads"
      )
    }
    if let sentence = report.playedSentence { summary.notes.append(sentence) }
    if let refusal = report.faultRefusal {
      summary.notes.append("the server did not apply all faults: \(refusal)")
    }
    summary.invariants = report.invariants.map { InvariantVerdict($0) }
    // Coverage that is required over several seeds need not occur in each of them.
    if scenario.coverage.requireOverSeeds == 1 {
      summary.coverage = report.coverage.filter { scenario.coverage.sometimes.contains($0.goal) }
        .map { CoverageCount(goal: $0.goal.rawValue, seen: $0.count) }
    }
    summary.leaveUnseenUnjudged()
    return summary
  }

  private func enter(_ sums: LedgerSums) {
    table.add(.recordsLost, of: sums.lostInAll)
    // Where arrivals are not seen, repeated rows show the duplicates.
    let unexplained = max(sums.duplicatesUnexplained, sums.duplicateRows)
    let repeated = sums.duplicatesExplained + unexplained
    table.add(.duplicatesExplained, of: sums.duplicatesExplained)
    table.add(.duplicatesUnexplained, of: unexplained)
    table.add(.duplicatesRatio, hits: repeated, of: sums.stored + repeated)
    table.add(.clausesBroken, of: clausesBroken)
    table.add(.droppedTrips, of: setup.fleets.reduce(0) { $0 + $1.droppedTrips })
  }

  /// The figures of the run as a whole and, with several fleets, of each fleet.
  private var figures: [MetricFigure] {
    var figures: [MetricFigure] = []
    let all = setup.fleets.map { _ in true }
    for measure in Measure.allCases where measure.isMeasured(in: setup) {
      let name = measure.metric.name
      figures.append(MetricFigure(name: name, figure: figure(of: measure, all)))
      guard setup.fleets.count > 1, !measure.isOfTheWhole else { continue }
      for (index, fleet) in setup.fleets.enumerated() {
        let one = all.indices.map { $0 == index }
        figures.append(MetricFigure(name: "\(name){fleet:\(fleet.name)}", figure: figure(of: measure, one)))
      }
    }
    return figures.filter { !$0.figure.isEmpty }
  }

  func figure(of measure: Measure, _ fleets: [Bool]) -> Figure {
    measure.metric.kind == .gauge
      ? chart.gauge(measure, of: fleets) : table.cell(measure, of: fleets).figure(of: measure)
  }
}
