import JSON
import Store

extension ServerContext {
  /// `POST /admin/v1/reset?run`: forgets the run that the parameter, the path or the header names, or everything when none
  /// does. `{"devices":n}` says how many devices were forgotten with all that is theirs.
  func reset(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = try QueryParameters(exchange, taking: ["run"])
    return .store(.reset(run: optionalRun(exchange, parameters)), afterwards: .reset)
  }

  func wasReset(_ result: StoreResult) -> Response {
    switch result {
    case .changed(let count):
      return .json { writer in
        writer.beginObject()
        writer.key("devices")
        writer.value(count)
        writer.endObject()
      }
    case .unavailable(let outage): return .unavailable(outage)
    default: preconditionFailure("the store answers a reset with a count or an outage")
    }
  }
}
