/// Whether devices have the habits of real ones that no document tells of (SDK §14.1.3, §17.8).
package enum SDKBehaviour: String, CaseIterable, Sendable {
  case observed
  case documented
}
