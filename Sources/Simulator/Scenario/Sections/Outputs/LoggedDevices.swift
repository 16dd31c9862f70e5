/// Of which devices logs are kept.
package enum LoggedDevices: String, CaseIterable, Sendable {
  case failing
  case all
}
