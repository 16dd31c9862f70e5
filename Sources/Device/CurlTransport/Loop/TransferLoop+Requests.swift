import Base
import CCurl
import Upload

extension TransferLoop {
  /// Handles that wait for the next request, a few kilobytes each.
  private static let freeTransfers = 256

  func begin(_ request: OutgoingRequest, device: Int) {
    guard let transfer = free.popLast() ?? makeTransfer() else { preconditionFailure("memory has run out") }
    let sources = configuration.sourceAddresses
    if let outcome = transfer.prepare(
      request, device: device, from: sources.isEmpty ? nil : sources[device % sources.count])
    {
      completions.append(
        TransportCompletion(device: device, id: request.id, outcome: outcome, timings: TransferTimings(), head: []))
      free.append(transfer)
      return
    }
    if configuration.connections == .mobile {
      unsafe transfer.useConnections(of: shares.share(of: device), scope: ConnectionShares.scope(of: device))
    }
    let key = RequestKey(device: device, id: request.id)
    let former = inFlight.updateValue(transfer, forKey: key)
    precondition(former == nil, "a request in flight has an id of its own")
    let code = unsafe curl_multi_add_handle(multi, transfer.easy)
    precondition(code == CURLM_OK, "curl_multi_add_handle failed with \(code.rawValue)")
  }

  func cancel(_ key: RequestKey) {
    guard let transfer = inFlight[key] else { return }
    end(transfer, .failed(.cancelled, message: "cancelled"))
  }

  /// Under `.mobile`: the network of the device is another one, and its connections were of the old one.
  func endUnusedConnections(of device: Int) {
    if configuration.connections == .mobile { sockets.endUnused(of: device) }
  }

  func collectEnded() {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      let code = unsafe message.pointee.data.result
      var pointer: UnsafeMutableRawPointer?
      let known = unsafe rr_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &pointer)
      precondition(known == CURLE_OK, "a handle knows its transfer")
      let transfer = unsafe Transfer.of(pointer)
      end(transfer, transfer.outcome(code))
    }
  }

  /// Before the loop is left.
  func end() {
    let keys = inFlight.keys.sorted { ($0.device, $0.id) < ($1.device, $1.id) }
    for key in keys { cancel(key) }
  }

  private func end(_ transfer: Transfer, _ outcome: RequestOutcome) {
    completions.append(
      TransportCompletion(
        device: transfer.device, id: transfer.id, outcome: outcome, timings: transfer.timings, head: transfer.head))
    inFlight[RequestKey(device: transfer.device, id: transfer.id)] = nil
    let code = unsafe curl_multi_remove_handle(multi, transfer.easy)
    precondition(code == CURLM_OK, "curl_multi_remove_handle failed with \(code.rawValue)")
    if free.count < TransferLoop.freeTransfers { free.append(transfer) }
  }

  private func makeTransfer() -> Transfer? {
    guard let transfer = Transfer(configuration, of: self) else { return nil }
    transfer.configure(configuration)
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe transfer.set(CURLOPT_OPENSOCKETDATA, pointer: Unmanaged.passUnretained(transfer).toOpaque())
    let open = unsafe rr_curl_set_open_callback(transfer.easy) { user, _, address in
      guard let address = unsafe address?.pointee else { return -1 }
      let transfer = unsafe Transfer.of(user)
      return transfer.loop.sockets.open(
        family: address.family, type: address.socktype, protocol: address.protocol, device: transfer.device)
    }
    transfer.accepted(CURLOPT_OPENSOCKETFUNCTION, open)
    unsafe transfer.set(CURLOPT_CLOSESOCKETDATA, pointer: this)
    let close = unsafe rr_curl_set_close_callback(transfer.easy) { user, socket in
      unsafe TransferLoop.of(user).sockets.close(socket)
    }
    transfer.accepted(CURLOPT_CLOSESOCKETFUNCTION, close)
    return transfer
  }
}
