import BackendStore
import Base
import Contract
import Host
import JSON
import Scenario

/// Records that are written by a template.
extension ClauseRun {
  /// Returns a record under its own names, and its sent fields; nil if it was written in the default schema.
  func said(
    _ record: LocationRecord, _ configuration: Configuration, _ note: RenderNote?
  ) -> (bytes: [UInt8], fields: [String])? {
    if case .invalidTemplate? = note { return nil }
    let isGeofence = record.geofence != nil || record.event == .geofence
    let persistence = configuration.persistence
    let text = isGeofence ? persistence.geofenceTemplate : persistence.locationTemplate
    guard let template = template(text, isGeofence ? .geofence : .location) else { return nil }
    var plain = configuration
    (plain.persistence.locationTemplate, plain.persistence.geofenceTemplate) = ("", "")
    var renderer = RecordRenderer(plain)
    var bytes: [UInt8] = []
    _ = renderer.append(record, to: &bytes)
    return (bytes, template.places.map(\.field) + [FieldName.extras])
  }

  private func template(_ text: String, _ kind: RecordTemplate.Kind) -> TemplateFieldPaths? {
    if let known = templates[text] { return known }
    let template = TemplateFieldPaths(text, kind: kind)
    templates[text] = .some(template)
    return template
  }

  /// Returns what the SDK writes by the app's template without the location tags.
  func fixWithoutPlace(_ phone: ConformancePhone) throws -> SentRecord {
    let record = fix(phone)
    guard let template = template(phone.configuration.persistence.locationTemplate, .location) else { return record }
    var value = StoredValue(record.bytes) ?? .null
    for place in template.places where ["coords.latitude", "coords.longitude"].contains(place.field) {
      value = value.removing(place.steps[...])
    }
    return SentRecord(
      uuid: record.uuid, timestamp: record.timestamp, bytes: Array(value.shown.utf8),
      said: record.said.map { said in (said.bytes, said.fields.filter { !$0.hasPrefix("coords.l") }) },
      keysOfApp: record.keysOfApp)
  }

  private enum FieldName { static let extras = "extras" }
}

/// Extras among the keys of a template.
extension ClauseRun {
  /// Returns the extras of a record. In a template's object they are among its keys, where they replace one of the same name
  /// (SDK §7.5.2): their names must differ from every key, and from a backend's columns.
  func object(_ text: String) -> RenderedObject {
    // Unpaired surrogates are the subject of a clause.
    let limits = JSONLimits(isStructureOnly: true)
    do throws(JSONError) {
      let bytes = target.templates.keys.isEmpty ? Array(text.utf8) : try renamed(Array(text.utf8))
      return try RenderedObject(bytes.span, limits: limits)
    } catch { preconditionFailure("the text of a clause is an object: \(error)") }
  }

  private func renamed(_ text: [UInt8]) throws(JSONError) -> [UInt8] {
    var reader = JSONReader(text.span, limits: JSONLimits(isStructureOnly: true))
    var result = [UInt8(ascii: "{")]
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if result.count > 1 { result.append(UInt8(ascii: ",")) }
      let name = nameOfExtra(String(decoding: text[key.range], as: UTF8.self))
      result += Array("\"\(name)\":".utf8) + text[try reader.skipValue()]
    }
    try reader.finish()
    return result + [UInt8(ascii: "}")]
  }

  /// Whether the app may send any params beside its records.
  var hasFreeParams: Bool { !target.templates.writesLocations || facts.promises(.params) }

  /// Requires that params are free. With a template, a backend may accept only the keys that the app sends beside its records.
  func needFreeParams() throws {
    if hasFreeParams { return }
    throw ClauseStop.notApplicable("the app of the dialect writes its uploads by a template, and sends no other params")
  }

  /// Returns the key under which an extra is sent.
  func nameOfExtra(_ name: String) -> String {
    target.templates.keys.isEmpty ? name : "x_\(name)"
  }

  /// Returns the stored value of a field. Extras that a template sent among its keys may be stored there, too; where they are
  /// stored as an object, some of those keys may be in it.
  func stored(_ field: String, of record: SentRecord, _ entry: StoredRecord) -> StoredValue? {
    guard field == "extras", !target.templates.keys.isEmpty, case .object(let sent)? = record.value["extras"] else {
      return entry.value(field)
    }
    if let value = entry.value(field), !value.isNull || !facts.hasFlatExtras {
      guard case .object(let members) = value else { return value }
      let others = target.templates.keys.union(target.templates.params)
      return .object(
        members.filter { member in !others.contains(member.key) || sent.contains { $0.key == member.key } })
    }
    guard facts.hasFlatExtras else { return nil }
    let flat = sent.compactMap { member in entry.member(member.key).map { (key: member.key, value: $0) } }
    return flat.isEmpty && !record.isTemplated ? nil : .object(flat)
  }
}

extension StoredValue {
  /// Returns the value without what is at this place; without the whole list, if the place is in a list.
  fileprivate func removing(_ steps: ArraySlice<TemplateFieldPaths.Step>) -> StoredValue {
    guard case .member(let name)? = steps.first else {
      guard case .element(let index)? = steps.first, case .list(var elements) = self, elements.indices.contains(index)
      else { return self }
      elements[index] = steps.count == 1 ? .null : elements[index].removing(steps.dropFirst())
      return .list(elements)
    }
    guard case .object(let members) = self else { return self }
    let isInList = if case .element? = steps.dropFirst().first { true } else { false }
    return .object(
      members.compactMap { member in
        if member.key != name { return member }
        return steps.count == 1 || isInList ? nil : (member.key, member.value.removing(steps.dropFirst()))
      })
  }
}
