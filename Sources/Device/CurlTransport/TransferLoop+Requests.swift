import Base
import CCurl
import Threads
import Upload

extension TransferLoop {
  /// The maximum number of cached handles, a few kilobytes each.
  static let freeTransfers = 256

  func begin(_ request: OutgoingRequest, device: Int) {
    if beginDirectly(request, device: device) { return }
    guard let transfer = free.popLast() ?? makeTransfer(isConnector: false) else {
      preconditionFailure("out of memory")
    }
    if let outcome = transfer.prepare(request, device: device, from: source(of: device)) {
      completions.append(
        TransportCompletion(device: device, id: request.id, outcome: outcome, timings: TransferTimings(), head: []))
      free.append(transfer)
      return
    }
    if configuration.connections == .mobile {
      unsafe transfer.useConnections(
        of: shares.share(of: device, isSecure: request.isSecure), scope: ConnectionShares.scope(of: device))
    }
    attach(transfer, of: RequestKey(device: device, id: request.id))
  }

  func source(of device: Int) -> String? {
    let sources = configuration.sourceAddresses
    return sources.isEmpty ? nil : sources[device % sources.count]
  }

  func cancel(_ key: RequestKey) {
    guard let transfer = inFlight[key] else { return cancelDirect(key) }
    let outcome = RequestOutcome.failed(.cancelled, message: "cancelled")
    if let exchange = transfer.exchange {
      endConnecting(transfer, exchange, outcome)
    } else {
      end(transfer, outcome)
    }
  }

  /// Returns what a request that has a connection has done so far; nil for any other.
  func timings(of key: RequestKey) -> TransferTimings? {
    if let transfer = inFlight[key] { return transfer.hasConnection ? transfer.timings : nil }
    return socketOf[key].flatMap { connections.exchange(of: $0)?.timings }
  }

  /// Ends the unused connections of a device under `.mobile`, because they belonged to its former network.
  func endUnusedConnections(of device: Int) {
    guard configuration.connections == .mobile else { return }
    sockets.endUnused(of: device)
    for socket in connections.unused(of: device) { hangUp(socket) }
  }

  func collectEnded() {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      let code = unsafe message.pointee.data.result
      var pointer: UnsafeMutableRawPointer?
      let known = unsafe rr_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &pointer)
      precondition(known == CURLE_OK, "a handle knows its transfer")
      let transfer = unsafe Transfer.of(pointer)
      if let exchange = transfer.exchange {
        endConnecting(transfer, exchange, code == CURLE_OK ? nil : transfer.outcome(code))
      } else {
        end(transfer, transfer.outcome(code))
      }
    }
  }

  /// Ends all requests before the loop ends.
  func end() {
    let keys = (Array(inFlight.keys) + Array(socketOf.keys)).sorted { ($0.device, $0.id) < ($1.device, $1.id) }
    for key in keys { cancel(key) }
  }

  private func end(_ transfer: Transfer, _ outcome: RequestOutcome) {
    completions.append(
      TransportCompletion(
        device: transfer.device, id: transfer.id, outcome: outcome, timings: transfer.timings, head: transfer.head))
    detach(transfer, of: RequestKey(device: transfer.device, id: transfer.id))
    if free.count < TransferLoop.freeTransfers { free.append(transfer) }
  }

  func attach(_ transfer: Transfer, of key: RequestKey) {
    let former = inFlight.updateValue(transfer, forKey: key)
    precondition(former == nil, "a request in flight has an id of its own")
    let code = unsafe curl_multi_add_handle(multi, transfer.easy)
    precondition(code == CURLM_OK, "curl_multi_add_handle failed with \(code.rawValue)")
  }

  func detach(_ transfer: Transfer, of key: RequestKey) {
    inFlight[key] = nil
    let code = unsafe curl_multi_remove_handle(multi, transfer.easy)
    precondition(code == CURLM_OK, "curl_multi_remove_handle failed with \(code.rawValue)")
  }

  func makeTransfer(isConnector: Bool) -> Transfer? {
    guard let transfer = Transfer(configuration, of: self) else { return nil }
    transfer.configure(configuration)
    if isConnector { transfer.configureAsConnector() }
    setSocketCallbacks(of: transfer, keepsSockets: isConnector)
    return transfer
  }

  private func setSocketCallbacks(of transfer: Transfer, keepsSockets: Bool) {
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe transfer.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(transfer).toOpaque())
    let open = unsafe rr_curl_set_open_callback(transfer.easy) { user, _, address in
      guard let address = unsafe address?.pointee else { return -1 }
      let transfer = unsafe Transfer.of(user)
      return transfer.loop.sockets.open(
        family: address.family, type: address.socktype, protocol: address.protocol, device: transfer.device)
    }
    transfer.accepted(CURLOPT_OPENSOCKETFUNCTION, open)
    if keepsSockets { return transfer.keepSockets() }
    unsafe transfer.set(CURLOPT_CLOSESOCKETDATA, pointer: this)
    let close = unsafe rr_curl_set_close_callback(transfer.easy) { user, socket in
      unsafe TransferLoop.of(user).sockets.close(socket)
    }
    transfer.accepted(CURLOPT_CLOSESOCKETFUNCTION, close)
  }
}

/// A call of another thread to the loop.
enum TransportCall: Sendable {
  case submit(OutgoingRequest, device: Int)
  case cancel(UInt64, device: Int)
  case stop
}

/// The queue of those calls.
typealias TransportMailbox = ThreadInbox<TransportCall>

extension ThreadInbox<TransportCall> {
  static func make() throws(TransportError) -> TransportMailbox {
    do { return try TransportMailbox() } catch { throw TransportError(call: "eventfd", code: Int(error.code)) }
  }
}
