import BackendStore
import Base
import Contract

/// A record that a clause puts into a phone's queue.
struct SentRecord: Sendable {
  let uuid: UUID128
  let timestamp: WallInstant
  /// As it is uploaded.
  let bytes: [UInt8]
  /// The same in the default schema, where a template has written it, and which of its fields the template sends.
  var said: (bytes: [UInt8], fields: [String])?
  /// Of its extras, those that the app of the dialect adds to each record.
  var keysOfApp: Set<String>

  init(
    uuid: UUID128, timestamp: WallInstant, bytes: [UInt8], said: (bytes: [UInt8], fields: [String])? = nil,
    keysOfApp: Set<String> = []
  ) {
    (self.uuid, self.timestamp, self.bytes, self.said, self.keysOfApp) = (uuid, timestamp, bytes, said, keysOfApp)
  }

  /// A template has written it.
  var isTemplated: Bool { said != nil }

  /// Nothing can be said of a field that a template does not send by itself.
  func sends(_ field: String) -> Bool {
    guard let said else { return true }
    return said.fields.contains { $0 == field || field.hasPrefix($0 + ".") || $0.hasPrefix(field + ".") }
  }

  /// What it says, by the record's own names: what a template puts under other keys, and nothing that it does not send. No event is
  /// no field, whatever a template makes of it (SDK §7.5).
  var value: StoredValue {
    guard let said else { return StoredValue(bytes) ?? .null }
    return (StoredValue(said.bytes) ?? .null).keeping(said.fields)
  }
}

extension StoredValue {
  /// The members at these places, `coords.latitude` or `extras`, and no others.
  func keeping(_ fields: [String]) -> StoredValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members.compactMap { name, value in
        if fields.contains(name) { return (name, value) }
        let inner = fields.filter { $0.hasPrefix(name + ".") }.map { String($0.dropFirst(name.count + 1)) }
        return inner.isEmpty ? nil : (name, value.keeping(inner))
      })
  }
}
