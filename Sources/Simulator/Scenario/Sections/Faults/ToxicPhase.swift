/// How far a request has come when a toxic acts.
package enum ToxicPhase: String, CaseIterable, Sendable {
  case connect
  case afterRequestHead = "after-request-head"
  case afterRequestBody = "after-request-body"
  case inResponse = "in-response"
}
