import Base
import FleetSimulator
import JSON
import Scenario

/// The state of a whole run, as JSON.
struct RunState {
  private let run: WatchedRun
  private let view: RunView
  private let summary: RunSummary?
  let acts: Int

  /// The lag of turns above which the figures reflect this machine's load.
  private static let lagMaxMilliseconds = 50.0

  init(_ run: WatchedRun, _ view: RunView, summary: RunSummary?) {
    (self.run, self.view, self.summary) = (run, view, summary)
    acts = run.steering.entries.count
  }

  /// Whether time advances, so that rates are defined.
  private var goesOn: Bool { !isPaused && summary == nil }

  var isPaused: Bool { run.steering.isPaused && summary == nil }

  private var phase: String {
    if summary != nil { return "ended" }
    return view.phase == .driving ? "driving" : "settling"
  }

  var json: JSONValue {
    var object = JSONObject()
    putRun(into: &object)
    putFigures(into: &object)
    return .object(object)
  }

  private func putRun(into object: inout JSONObject) {
    object["scenario"] = .string(run.scenario)
    object["seed"] = .string("0x" + String(run.seed, radix: 16))
    object["mode"] = .string(view.mode.rawValue)
    object["target"] = .known(run.target)
    object["startedAt"] = .string(run.start.iso8601Text)
    object["begunAt"] = .string(run.origin.begun.iso8601Text)
    object["now"] = .string(SystemClock().wallNow.iso8601Text)
    object["version"] = .string(run.origin.product)
    object["command"] = .string(run.origin.command)
    object["host"] = .string(run.origin.host)
    object["atSeconds"] = .double(view.instant.seconds)
    object["durationSeconds"] = .double(run.duration.seconds)
    object["share"] = .double(view.progress.share)
    object["phase"] = .string(phase)
    object["isPaused"] = .bool(isPaused)
    object["canPause"] = .bool(view.mode != .realtime)
    object["result"] = .known(summary.map { "\($0.result)" })
    object["acts"] = .count(acts)
    object["stays"] = .bool(run.stays)
    object["isRecorded"] = .bool(run.steering.recording != nil)
  }

  private func putFigures(into object: inout JSONObject) {
    let progress = view.progress
    object["devices"] = .count(view.fleets.reduce(0) { $0 + $1.present })
    object["apps"] = .count(view.fleets.reduce(0) { $0 + $1.active })
    object["queue"] = .count(progress.backlog)
    object["connections"] = progress.connections.map { .count($0) } ?? .null
    object["uploadsPerSecond"] = .double(goesOn ? progress.uploadsPerSecond : 0)
    object["recordsPerSecond"] = .double(goesOn ? view.recordsPerSecond : 0)
    object["p50Milliseconds"] = .known(goesOn ? view.p50Milliseconds : nil)
    object["p95Milliseconds"] = .known(goesOn ? progress.p95Milliseconds : nil)
    object["p99Milliseconds"] = .known(goesOn ? view.p99Milliseconds : nil)
    object["errors"] = .count(progress.errors)
    let lag = goesOn ? view.lagP99Milliseconds : nil
    object["lagP99Milliseconds"] = .known(lag)
    object["isLate"] = .bool((lag ?? 0) > RunState.lagMaxMilliseconds)
    object["sample"] = run.steering.samples.last?.json ?? .null
    object["fleets"] = .array(zip(run.steering.fleetNames, view.fleets).map { $1.json(name: $0) })
  }
}

extension RunSample {
  /// An element of `GET history`; the last one is also in the state.
  var json: JSONValue {
    .object([
      "at": .integer(at.millisecondsSince1970), "atSeconds": .double(instant.seconds),
      "uploadsPerSecond": .double(uploadsPerSecond), "recordsPerSecond": .double(recordsPerSecond),
      "errorsPerSecond": .known(errorsPerSecond), "p50Milliseconds": .known(p50Milliseconds),
      "p95Milliseconds": .known(p95Milliseconds), "p99Milliseconds": .known(p99Milliseconds),
      "queue": .count(queue), "lagP99Milliseconds": .known(lagP99Milliseconds),
    ])
  }
}

extension FleetFigures {
  func json(name: String) -> JSONValue {
    .object([
      "name": .string(name), "phones": .count(present), "active": .count(active), "moving": .count(moving),
      "queue": .count(backlog),
    ])
  }
}

extension JSONValue {
  static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }
  static func known(_ number: Double?) -> JSONValue { number.map { .double($0) } ?? .null }
  static func known(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension RunSteering.Entry {
  var json: JSONValue {
    var object: JSONObject = ["number": .count(number), "act": act.json, "says": .string(act.text)]
    object["requestedAt"] = .string(requestedAt.iso8601Text)
    object["outcome"] = .string(word)
    object["atSeconds"] = .known(appliedAt?.seconds)
    object["reactionMilliseconds"] = .known(reaction.map { $0.seconds * 1_000 })
    switch outcome {
    case .waiting: break
    case .applied(let words): object["came"] = .string(words)
    case .refused(let error): object["came"] = .string("\(error)")
    }
    guard case .dropNetwork(let drop) = act else { return .object(object) }
    object["untilSeconds"] = .known(appliedAt.map { ($0 + drop.duration).seconds })
    if let place = drop.place {
      object["place"] = .array(place.vertices.map { .array([.double($0.latitude), .double($0.longitude)]) })
    }
    return .object(object)
  }

  private var word: String {
    switch outcome {
    case .waiting: "waiting"
    case .applied: "applied"
    case .refused: "refused"
    }
  }
}

extension RequestError {
  /// The form in summary.json without the share of all requests, which are not counted yet.
  var told: JSONValue {
    .object([
      "purpose": .string(purpose), "kind": .string(kind), "message": .string(message), "fleet": .string(fleet),
      "count": .count(count), "firstAtSeconds": .double(first.seconds), "lastAtSeconds": .double(last.seconds),
      "sample": .object([
        "device": .string(sample.device), "request": .string(sample.request), "records": .count(sample.records),
        "body": .string(sample.body),
      ]),
    ])
  }
}
