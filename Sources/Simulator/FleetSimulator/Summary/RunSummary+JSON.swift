import Base
package import JSON

extension RunSummary {
  /// What summary.json holds.
  package var json: JSONValue {
    .object([
      "format": .string("rollingroad-summary"), "version": .integer(Int64(RunSummary.version)),
      "product": .string(product),
      "result": .string("\(result)"), "exitCode": .integer(Int64(result.rawValue)),
      "scenario": .object(["name": .string(scenario), "hash": .string(scenarioHash)]),
      "seed": .string("0x" + String(seed, radix: 16)), "mode": .string(mode),
      "shard": shard.map { .string($0) } ?? .null, "start": .string(start.iso8601Text),
      "durationSeconds": duration.json,
      "settleSeconds": settle.json,
      "fleets": .array(fleets.map(\.json)),
      "devices": .integer(Int64(devices)), "ending": .string(ending.rawValue), "endedAtSeconds": ended.json,
      "drainedSeconds": drained?.json ?? .null, "hash": .string(hash), "events": .integer(Int64(events)),
      "requests": .integer(Int64(requests)), "ledger": ledger.json,
      "thresholds": .array(thresholds.map(\.json)), "checks": .array(checks.map(\.json)),
      "invariants": .array(invariants.map(\.json)), "violations": .array(violations.map(\.json)),
      "replay": replay.map { .string($0) } ?? .null, "remarks": .array(remarks.map(\.json)),
      "notes": .array(notes.map { .string($0) }),
      "coverage": .array(coverage.map { .object(["goal": .string($0.goal), "seen": .integer(Int64($0.seen))]) }),
      "metrics": metricsJSON, "timeline": timeline.json,
    ])
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

extension Nanoseconds {
  var json: JSONValue {
    count % 1_000_000_000 == 0 ? .integer(count / 1_000_000_000) : .double(seconds)
  }
}

extension LedgerSums {
  /// By the names that they have in outputs, in the order in which they are told.
  package static let parts: [(name: String, path: any WritableKeyPath<LedgerSums, Int> & Sendable)] = [
    ("created", \.created), ("stored", \.stored), ("unverified", \.unverified), ("pending", \.pending),
    ("expired", \.expired), ("evicted", \.evicted), ("destroyed", \.destroyed), ("quarantined", \.quarantined),
    ("misled", \.misled), ("lost", \.lost), ("duplicatesExplained", \.duplicatesExplained),
    ("duplicatesUnexplained", \.duplicatesUnexplained),
    ("duplicateRows", \.duplicateRows),
  ]

  fileprivate var json: JSONValue {
    var object = JSONObject()
    for part in LedgerSums.parts { object[part.name] = .integer(Int64(self[keyPath: part.path])) }
    return .object(object)
  }
}

extension CheckResult {
  fileprivate var json: JSONValue {
    .object(["name": .string(name), "held": .integer(Int64(held)), "failed": .integer(Int64(failed))])
  }
}

extension ThresholdVerdict {
  fileprivate var json: JSONValue {
    .object([
      "metric": .string(selection), "threshold": .string(expression), "value": value.map { .double($0) } ?? .null,
      "outcome": .string(outcome.rawValue), "invalidates": .bool(invalidates), "endedTheRun": .bool(endedTheRun),
    ])
  }
}

extension InvariantVerdict {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "name": .string(name), "outcome": .string(outcome.rawValue), "violations": .integer(Int64(violations)),
      "exercised": .integer(Int64(exercised)),
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
