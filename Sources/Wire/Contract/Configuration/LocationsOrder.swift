/// In which order of insertion records are read and uploaded.
package enum LocationsOrder: String, CaseIterable, Sendable {
  case ascending = "ASC"
  case descending = "DESC"
}
