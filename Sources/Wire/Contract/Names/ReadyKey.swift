/// Keys of the document that makes the SDK ready which are no configuration themselves (SDK §2.1).
package enum ReadyKey {
  package static let reset = "reset"
  package static let transistorAuthorizationToken = "transistorAuthorizationToken"
}
