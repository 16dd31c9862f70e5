import Base
package import JSON
package import Oracle
import Scenario

extension RunSummary {
  /// The content of summary.json.
  package var json: JSONValue {
    .object([
      "format": .string("rollingroad-summary"), "version": .integer(Int64(RunSummary.version)),
      "product": .string(product),
      "result": .string("\(result)"), "exitCode": .integer(Int64(result.rawValue)),
      "scenario": .object(["name": .string(scenario), "hash": .string(scenarioHash)]),
      "seed": .string("0x" + String(seed, radix: 16)), "mode": .string(mode),
      "shard": shard.map { .string($0) } ?? .null, "missing": .array(missing.map(\.json)),
      "start": .string(start.iso8601Text),
      "durationSeconds": duration.json,
      "settleSeconds": settle.json,
      "fleets": .array(fleets.map(\.json)),
      "devices": .integer(Int64(devices)), "ending": .string(ending.rawValue), "endedAtSeconds": ended.json,
      "drainedSeconds": drained?.json ?? .null, "hash": .string(hash), "events": .integer(Int64(events)),
      "requests": .integer(Int64(requests)), "answers": answersJSON,
      "errors": .array(errors.map { $0.json(share: share(of: $0)) }),
      "origin": origin?.json ?? .null,
      "place": place?.json ?? .null, "verification": verification.json, "ledger": ledgerJSON,
      "serverCounts": serverCounts?.json ?? .null, "findings": .array(findings.map(\.json)),
      "clauses": .array(clauses.map(\.json)),
      "thresholds": .array(thresholds.map(\.json)), "checks": .array(checks.map(\.json)),
      "invariants": .array(invariants.map(\.json)), "violations": .array(violations.map(\.json)),
      "replay": replay.map { .string($0) } ?? .null, "remarks": .array(remarks.map(\.json)),
      "notes": .array(notes.map { .string($0) }),
      "coverage": .array(coverage.map { .object(["goal": .string($0.goal), "seen": .integer(Int64($0.seen))]) }),
      "metrics": metricsJSON, "groups": groups?.json ?? .null, "timeline": timeline.json,
    ])
  }

  private var answersJSON: JSONValue {
    var object = JSONObject()
    for (word, count) in answers.sorted(by: { $0.key < $1.key }) { object[word] = .integer(Int64(count)) }
    return .object(object)
  }

  /// Null for values that are unknown in this run; a zero would be wrong.
  private var ledgerJSON: JSONValue {
    var object = JSONObject()
    for part in LedgerSums.parts { object[part.name] = .integer(Int64(ledger[keyPath: part.path])) }
    if !seesArrivals { object["duplicatesExplained"] = .null }
    return .object(object)
  }

  private var metricsJSON: JSONValue {
    var object = JSONObject()
    for metric in metrics { object[metric.name] = metric.figure.json(seconds: ended.seconds) }
    return .object(object)
  }
}

extension RunSummary.Fleet {
  fileprivate var json: JSONValue {
    .object(["name": .string(name), "devices": .integer(Int64(devices)), "hash": .string(hash)])
  }
}

extension MissingShard {
  fileprivate var json: JSONValue { .object(["shard": .string(shard), "reason": .string(reason)]) }
}

extension RunOrigin {
  fileprivate var json: JSONValue {
    .object([
      "command": .string(command), "host": .string(host), "start": .string(start.iso8601Text),
      "end": .string(end.iso8601Text),
    ])
  }
}

extension RunPlace {
  fileprivate var json: JSONValue {
    .object([
      "target": .string(target), "server": server.map { .string($0) } ?? .null,
      "start": .string(start.iso8601Text), "end": .string(end.iso8601Text),
      "seconds": .double(seconds), "uploadsPerSecond": .double(uploadsPerSecond), "factor": .double(factor),
    ])
  }
}

extension Verification {
  fileprivate var json: JSONValue {
    .object([
      "outcome": .string(outcome.rawValue), "contents": .bool(comparesContents),
      "uncompared": .array(uncompared.map { .string($0) }),
      "unreadTimes": .integer(Int64(unreadTimes)), "repetitions": .integer(Int64(repetitions)),
      "unknownRows": .integer(Int64(unknownRows)), "rowsElsewhere": .integer(Int64(rowsElsewhere)),
      "lateRecords": .integer(Int64(lateRecords)),
      "reason": reason.map { .string($0) } ?? .null,
    ])
  }
}

extension ServerFinding {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(name), "text": .string(text), "details": .array(details.map { .string($0) }),
      "isViolation": .bool(isViolation),
    ])
  }
}

extension ClauseVerdict {
  fileprivate var json: JSONValue {
    .object([
      "number": .integer(Int64(number)), "rule": .string(rule), "outcome": .string(outcome.rawValue),
      "judged": .integer(Int64(judged)), "broken": .integer(Int64(broken)),
      "detail": detail.map { .string($0) } ?? .null, "remedy": remedy.map { .string($0) } ?? .null,
    ])
  }
}

extension LedgerSums {
  /// The names in outputs, in the order of output.
  package static let parts: [(name: String, path: any WritableKeyPath<LedgerSums, Int> & Sendable)] = [
    ("created", \.created), ("stored", \.stored), ("unverified", \.unverified), ("pending", \.pending),
    ("expired", \.expired), ("evicted", \.evicted), ("destroyed", \.destroyed), ("quarantined", \.quarantined),
    ("misled", \.misled), ("lostToPages", \.lostToPages), ("lost", \.lost), ("misplaced", \.misplaced),
    ("duplicatesExplained", \.duplicatesExplained), ("duplicatesUnexplained", \.duplicatesUnexplained),
    ("changed", \.changed), ("duplicateRows", \.duplicateRows),
  ]
}

extension CheckResult {
  fileprivate var json: JSONValue {
    .object(["name": .string(name), "held": .integer(Int64(held)), "failed": .integer(Int64(failed))])
  }
}

extension ThresholdVerdict {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "metric": .string(selection), "threshold": .string(expression), "value": value.map { .double($0) } ?? .null,
      "outcome": .string(outcome.rawValue), "invalidates": .bool(invalidates), "endedTheRun": .bool(endedTheRun),
    ]
    if let reason { object["reason"] = .string(reason) }
    object["stretch"] = stretch.map { .double($0) }
    return .object(object)
  }
}

extension InvariantVerdict {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "name": .string(name), "outcome": .string(outcome.rawValue), "violations": .integer(Int64(violations)),
      "exercised": .integer(Int64(exercised)), "about": .string(subject.rawValue),
    ]
    object["reason"] = reason.map { .string($0) }
    return .object(object)
  }
}

extension ViolationStory {
  fileprivate var json: JSONValue {
    .object([
      "invariant": .string(invariant), "device": .string(device), "uuid": uuid.map { .string($0) } ?? .null,
      "story": .array(story.map { .string($0) }),
    ])
  }
}
