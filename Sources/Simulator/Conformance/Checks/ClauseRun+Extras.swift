import BackendStore
import Base
import Contract
import JSON

/// The extras of the dialect's app, which the SDK merges into each record (SDK §7.5).
extension ClauseRun {
  /// Adds the app's extras to a record's own ones, which take precedence. Returns the added keys.
  static func add(_ ofApp: JSONValue, to extras: inout RenderedObject) -> Set<String> {
    guard case .object(let members) = ofApp, let rendered = RenderedObject(ofApp), !rendered.isEmpty else { return [] }
    var bytes: [UInt8] = []
    extras.append(to: &bytes)
    let own = StoredValue(bytes)
    extras = rendered.merging(extras)
    return Set(members.members.map(\.key).filter { own?[$0] == nil })
  }

  /// Does the same for a handwritten record; a null value gives way to the app's.
  static func adding(_ ofApp: JSONValue, to text: String) -> (text: String, keys: Set<String>) {
    guard case .object(var added) = ofApp else { return (text, []) }
    let own = StoredValue(Array(text.utf8))?["extras"]
    for key in added.members.map(\.key) where own?[key] != nil { added[key] = nil }
    guard let rendered = RenderedObject(.object(added)), !rendered.isEmpty else { return (text, []) }
    var bytes: [UInt8] = []
    rendered.append(to: &bytes)
    let object = String(decoding: bytes, as: UTF8.self)
    let keys = Set(added.members.map(\.key))
    switch own {
    case .object(let given)?:
      let start = "\"extras\":\(object.dropLast())\(given.isEmpty ? "" : ",")"
      return (text.replacing("\"extras\":{", with: start), keys)
    case nil:
      let end = text.lastIndex(of: "}") ?? text.endIndex
      return ("\(text[..<end]),\"extras\":\(object)}", keys)
    default: return (text.replacing("\"extras\":null", with: "\"extras\":\(object)"), keys)
    }
  }
}

extension SentRecord {
  /// Returns a value of `extras` without the app's additions: a backend may take these for the device's name and
  /// store them elsewhere.
  func own(_ value: StoredValue, _ field: String) -> StoredValue {
    guard field == "extras", !keysOfApp.isEmpty, case .object(let members) = value else { return value }
    return .object(members.filter { !keysOfApp.contains($0.key) })
  }
}
