package import JSON

extension Configuration {
  /// `setConfig`: takes over the keys of the document. A key that cannot be taken leaves a warning and changes nothing
  /// but itself.
  package mutating func apply(_ document: JSONValue) -> ConfigurationChange {
    guard case .object(let members) = document else {
      return ConfigurationChange(changedKeys: [], warnings: [.notAnObject(found: document.kindName)])
    }
    let result = ConfigurationDocument(applying: members, to: self)
    return settle(result.configuration, warnings: result.warnings)
  }

  /// `config.edit`: changes properties in one step. Values beyond their limits are moved to them; what no document could
  /// say, a distance that is not finite for instance, leaves the old value.
  package mutating func edit(_ change: (inout Configuration) -> Void) -> ConfigurationChange {
    var draft = self
    change(&draft)
    let warnings = draft.clamp(since: self)
    return settle(draft, warnings: warnings)
  }

  /// Everything back to the defaults except the pace.
  package mutating func reset() -> ConfigurationChange {
    settle(defaultsKeepingPace, warnings: [])
  }

  /// Keys whose values differ, as `group.key`, in the order of the table.
  package func changedKeys(since old: Configuration) -> [String] {
    keysInGroups(differingFrom: old).filter { $0.read(self) != $0.read(old) }.map(\.path)
  }

  var defaultsKeepingPace: Configuration {
    var defaults = Configuration(platform: platform)
    defaults.isMoving = isMoving
    return defaults
  }

  /// Makes the draft the configuration, in one step, and says what that means.
  mutating func settle(_ draft: Configuration, warnings: [ConfigurationWarning]) -> ConfigurationChange {
    let changed = draft.changedKeys(since: self)
    self = draft
    return ConfigurationChange(changedKeys: changed, warnings: warnings + combinationWarnings(changed: changed))
  }

  /// Properties that were set in code have not passed the limits of the table.
  mutating func clamp(since old: Configuration) -> [ConfigurationWarning] {
    var warnings: [ConfigurationWarning] = []
    for key in keysInGroups(differingFrom: old) {
      guard let value = key.read(self), let warning = key.write(value, to: &self) else { continue }
      warnings.append(warning)
      if case .wrongType = warning, let kept = key.read(old) { _ = key.write(kept, to: &self) }
    }
    return warnings
  }

  private func keysInGroups(differingFrom old: Configuration) -> [ConfigurationKey] {
    let groups = differingGroups(from: old)
    return groups.isEmpty ? [] : ConfigurationTable.all.filter { groups.contains($0.group) }
  }
}
