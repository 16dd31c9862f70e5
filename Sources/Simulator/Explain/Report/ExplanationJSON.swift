import Base
import JSON

/// An explanation for programs.
extension Explanation {
  /// An object with `verdict`, `outcome`, `gaps`, `records`, `compared`, `stories`, `notes` and `advice`.
  package var json: String {
    var object: JSONObject = ["verdict": .string(verdict), "outcome": .string("\(outcome)")]
    switch subject {
    case .record(let uuid): object["uuid"] = .string(uuid.text)
    case .stretch(let device, let from, let to):
      object["device"] = .string(device)
      if let from { object["from"] = .string(from.iso8601Text) }
      if let to { object["to"] = .string(to.iso8601Text) }
    }
    if zone.isKnown { object["utcOffsetMinutes"] = .integer(Int64(zone.offsetMinutes)) }
    object["gaps"] = .array(gaps.map(\.json))
    var counts: JSONObject = [:]
    for (fate, count) in fates { counts[fate.rawValue] = .integer(Int64(count)) }
    object["records"] = .object(counts)
    object["compared"] = content.json
    object["stories"] = .array(stories.map(\.json))
    object["notes"] = .array(notes.map { .string($0) })
    object["advice"] = .array(advice.map { .string($0) })
    return JSONValue.object(object).serializedText
  }
}

extension Gap {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "from": .string(from.iso8601Text), "to": .string(to.iso8601Text),
      "seconds": .double(Double(milliseconds) / 1_000),
      "place": .string(place), "edge": .string(edge.rawValue),
      "causes": .array(causes.map { .string($0.rawValue) }), "reason": .string(reason),
      "evidence": .array(evidence.map(\.json)),
    ]
    if let lines {
      object["firstLine"] = .integer(Int64(lines.lowerBound))
      object["lastLine"] = .integer(Int64(lines.upperBound))
    }
    return .object(object)
  }
}

extension RecordStory {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "uuid": .string(uuid.text), "fate": .string(fate.rawValue), "words": .string(words),
      "evidence": .array(evidence.map(\.json)),
    ]
    if let device { object["device"] = .string(device) }
    return .object(object)
  }
}

extension Evidence {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["place": .string(place), "words": .string(words)]
    if let time { object["time"] = .string(time.iso8601Text) }
    if let line { object["line"] = .integer(Int64(line)) }
    if !quote.isEmpty { object["quote"] = .string(quote) }
    return .object(object)
  }
}
