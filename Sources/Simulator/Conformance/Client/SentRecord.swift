import BackendStore
import Base
import Contract

/// A record that a clause puts into a phone's queue.
struct SentRecord: Sendable {
  let uuid: UUID128
  let timestamp: WallInstant
  /// The uploaded form.
  let bytes: [UInt8]
  /// For a record that a template has written: its default form, and the fields that the template sends.
  var said: (bytes: [UInt8], fields: [String])?
  /// The extras that the dialect's app adds to each record.
  var keysOfApp: Set<String>
  /// Whether the SDK makes such records on any drive, so that it is stored as it was sent in every clause.
  var isUsual: Bool

  init(
    uuid: UUID128, timestamp: WallInstant, bytes: [UInt8], said: (bytes: [UInt8], fields: [String])? = nil,
    keysOfApp: Set<String> = [], isUsual: Bool = false
  ) {
    (self.uuid, self.timestamp, self.bytes, self.said, self.keysOfApp) = (uuid, timestamp, bytes, said, keysOfApp)
    self.isUsual = isUsual
  }

  /// Whether a template has written it.
  var isTemplated: Bool { said != nil }

  /// Reports whether a field can be judged: a template may not send it by itself.
  func sends(_ field: String) -> Bool {
    guard let said else { return true }
    return said.fields.contains { $0 == field || field.hasPrefix($0 + ".") || $0.hasPrefix(field + ".") }
  }

  /// The record under its own names, with what a template sends under other keys and without what it does not send. No event
  /// counts as no field, whatever a template makes of it (SDK §7.5).
  var value: StoredValue {
    guard let said else { return StoredValue(bytes) ?? .null }
    return (StoredValue(said.bytes) ?? .null).keeping(said.fields)
  }
}

extension StoredValue {
  /// Returns the members at these places only, as in `coords.latitude` or `extras`.
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
