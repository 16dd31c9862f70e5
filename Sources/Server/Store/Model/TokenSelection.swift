/// Which token families an administrator means.
package enum TokenSelection: Sendable {
  case family(Int64)
  case device(DeviceIdentity)
  case run(String)
  case all
}
