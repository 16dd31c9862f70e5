/// Which permission the app asks for.
package enum LocationAuthorizationRequest: String, CaseIterable, Sendable {
  case always = "Always"
  case whenInUse = "WhenInUse"
  case any = "Any"
}
