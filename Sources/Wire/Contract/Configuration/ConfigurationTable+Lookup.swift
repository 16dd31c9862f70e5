extension ConfigurationTable {
  /// Says in a state dictionary that it repeats the keys of the groups outside them, as version 4 had them.
  package static let deprecatedPropertiesFlag = "includeDeprecatedPropertiesInDictionary"

  /// What may stand in a document outside every group, aliases left out, in the order of the table.
  static let namesOutsideGroups = ConfigurationGroup.topLevel.map(\.rawValue) + all.compactMap(\.flatName)

  private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
  private static let byFlatName = Dictionary(
    uniqueKeysWithValues: all.flatMap { key in
      ([key.flatName].compactMap(\.self) + key.aliases).map { ($0, key) }
    })

  package static func key(path: String) -> ConfigurationKey? { byPath[path] }

  package static func key(flatName: String) -> ConfigurationKey? { byFlatName[flatName] }

  static func names(in group: ConfigurationGroup) -> [String] {
    all.filter { $0.group == group }.map(\.name)
  }
}
