import Store

extension ServerContext {
  /// What is read and never changed, and the few orders of administration that need no words of their own.
  func administer(_ exchange: Exchange) -> Reply {
    do throws(ResponseError) {
      return switch exchange.target.operation {
      case .getReadiness: readiness()
      case .getMetrics: renderMetrics()
      case .getStatistics: try statistics(exchange)
      case .listDevices: try listDevices(exchange)
      case .getDevice: try device(exchange)
      case .deleteDevice: try deleteDevice(exchange)
      case .listDeviceLocations: try listLocations(exchange)
      case .listLatestLocations: try listLatest(exchange)
      case .listRecordIdentities: try listIdentities(exchange)
      case .verifyRecords: try verify(exchange)
      case .listQuarantine: try listQuarantine(exchange)
      case .countQuarantine: try countQuarantine(exchange)
      case .getQuarantined: try quarantined(exchange)
      case .clearQuarantine: try clearQuarantine(exchange)
      case .deleteQuarantined: try deleteQuarantined(exchange)
      case .reset: try reset(exchange)
      default: preconditionFailure("\(exchange.target.operation) has its answer elsewhere")
      }
    } catch {
      return .answer(error.response)
    }
  }

  /// The run that a question is about: the parameter, else that of the path or the header.
  func run(_ exchange: Exchange, _ parameters: QueryParameters) -> String {
    parameters.text("run") ?? exchange.target.run
  }

  /// Nil for all runs, when none is named.
  func optionalRun(_ exchange: Exchange, _ parameters: QueryParameters) -> String? {
    parameters.text("run") ?? (exchange.target.run.isEmpty ? nil : exchange.target.run)
  }

  /// Elements of one answer; nil for all of them.
  func limit(_ parameters: QueryParameters) throws(ResponseError) -> Int? {
    try parameters.number("limit", in: 1...1_000)
  }
}
