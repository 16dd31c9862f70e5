/// What goes wrong.
package enum FaultAction: Equatable, Sendable {
  /// The name of the network that devices have meanwhile.
  case network(String)
  case toxic(Toxic)
  case http(HTTPFault)
  case authorization(AuthorizationFault)
  case storage(StorageFault)
  case device(DeviceFault)
  case lifecycle(LifecycleFault)
  case remote(RemoteFault)

  /// Whether it is a state that begins and ends, and no event.
  var lasts: Bool {
    switch self {
    case .network, .toxic, .http: true
    case .authorization(let fault): fault.refreshStatus != nil
    case .storage(let fault): fault.error != nil
    case .device(let fault): fault.noFix
    case .lifecycle, .remote: false
    }
  }

  /// A section without any of its keys would do nothing.
  var isEmpty: Bool {
    switch self {
    case .network, .toxic: false
    case .http(let fault): fault == HTTPFault()
    case .authorization(let fault): fault == AuthorizationFault()
    case .storage(let fault): fault == StorageFault()
    case .device(let fault): fault == DeviceFault()
    case .lifecycle(let fault): !fault.terminate && !fault.reboot
    case .remote(let fault): fault.commands.isEmpty
    }
  }
}
