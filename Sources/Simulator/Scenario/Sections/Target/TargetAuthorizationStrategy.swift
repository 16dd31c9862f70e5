/// How uploads are authorized.
package enum TargetAuthorizationStrategy: String, CaseIterable, Sendable {
  case none
  case jwt
  case sas
}
