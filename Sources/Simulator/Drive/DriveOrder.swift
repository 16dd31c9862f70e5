package import Upload

/// What the network is to do.
package enum DriveOrder: Sendable {
  case send(OutgoingRequest)
  case cancel(UInt64)
}
