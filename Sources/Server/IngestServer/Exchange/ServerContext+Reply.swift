import JSON
import Store

extension ServerContext {
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
