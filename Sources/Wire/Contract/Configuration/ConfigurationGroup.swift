/// The objects in which configuration keys stand, in the order of the table.
package enum ConfigurationGroup: String, CaseIterable, Sendable {
  case root = ""
  case geolocation
  case filter = "geolocation.filter"
  case app
  case http
  case persistence
  case activity
  case authorization
  case logger

  /// The groups that are members of the document itself.
  package static let topLevel = allCases.filter { $0 != .root && $0 != .filter }

  /// Whether the keys of the group may also stand outside every group. Version 4 had the filter not at all and the
  /// authorization always as an object, and the state of version 5 repeats neither.
  var hasFlatKeys: Bool { self != .filter && self != .authorization }

  func path(of name: String) -> String { self == .root ? name : "\(rawValue).\(name)" }
}
