import JSON
import Store

extension ServerContext {
  /// The whole request is here.
  func reply(to exchange: Exchange, _ scratch: SessionScratch) -> Reply {
    if let refusal = refuseQuery(exchange) { return .answer(refusal) }
    return switch exchange.target.operation {
    case .uploadLocations: upload(exchange, scratch)
    case .registerDevice: register(exchange)
    case .refreshToken: refresh(exchange)
    case .uploadDeviceLog: keepLog(exchange)
    case .queueDeviceCommands: queueForDevice(exchange)
    case .queueCommands: queueForMany(exchange)
    case .listDeviceCommands: listCommands(exchange)
    case .setDeviceTags: setTags(exchange)
    case .listDeviceLogs: listLogs(exchange)
    case .getDeviceLog: getLog(exchange)
    case .expireTokens: expireTokens(exchange)
    case .revokeTokens: revokeTokens(exchange)
    case .breakRefresh: breakRefresh(exchange)
    case .getHealth: .answer(.json { $0.raw(Array(#"{"status":"ok"}"#.utf8)) })
    case .getContract: .answer(Response(200, "application/json", ContractFile.bytes))
    case .getPage, .getPageFile: .answer(page(exchange))
    case .listFaults: .answer(listFaults(exchange))
    case .putFaults: .answer(putFaults(exchange))
    case .deleteFaults: .answer(deleteFaults(exchange))
    case .getMap: .answer(map(exchange))
    case .putMap: .answer(putMap(exchange))
    case .deleteMap: .answer(deleteMap(exchange))
    case .awaitRecords: awaitRecords(exchange)
    case .listRequests: listRequests(exchange)
    case .streamEvents: streamEvents(exchange)
    case .streamLive: streamLive(exchange)
    default: administer(exchange)
    }
  }

  /// Of administration that looks at no query but for the run: whatever else stands there is a mistake.
  private func refuseQuery(_ exchange: Exchange) -> Response? {
    let names: [String]
    switch exchange.target.operation {
    case .queueDeviceCommands, .queueCommands, .setDeviceTags, .listDeviceLogs, .getDeviceLog, .expireTokens,
      .revokeTokens, .breakRefresh, .listFaults, .putFaults, .deleteFaults, .getMap, .putMap, .deleteMap,
      .awaitRecords, .streamLive:
      names = ["run"]
    case .streamEvents: names = ["run", "device"]
    default: return nil
    }
    do throws(ResponseError) { _ = try QueryParameters(exchange, taking: names) } catch { return error.response }
    return nil
  }

  /// The store has done what the last reply asked for.
  func reply(to exchange: Exchange, _ continuation: Continuation, _ result: StoreResult) -> Reply {
    switch continuation {
    case .upload(let device): .answer(uploaded(result, device))
    case .registration(let token): .answer(registered(token, result, at: exchange.receivedAt))
    case .refresh(let rotation): .answer(refreshed(rotation, result, exchange))
    case .commands(let response): carrying(response, result)
    case .ordering(let ordering): ordered(ordering, result)
    case .count(let key, let note): .answer(counted(key, result, note))
    case .clearing(let selection, let deleted): cleared(selection, deleted, result)
    case .readiness: .answer(wasReady(result))
    case .deletion(let device): .answer(wasDeleted(device, result))
    case .reset(let run): wasReset(run, result)
    }
  }
}
