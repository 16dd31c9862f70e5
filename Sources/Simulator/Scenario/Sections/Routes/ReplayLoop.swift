/// What follows the end of a recorded route.
package enum ReplayLoop: String, CaseIterable, Sendable {
  case none
  case restart
  case pingPong = "ping-pong"
}
