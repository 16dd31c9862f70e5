import Base
import Contract
import Network
import Store

extension ServerConfiguration {
  /// What is wrong with a template; nil when nothing is.
  package var templateProblem: String? {
    do throws(FieldError) { _ = try templates() } catch { return error.description }
    return nil
  }

  func templates() throws(FieldError) -> [TemplateSchema] {
    var schemas: [TemplateSchema] = []
    if let text = locationTemplate { schemas.append(try TemplateSchema(text, kind: .location)) }
    if let text = geofenceTemplate { schemas.append(try TemplateSchema(text, kind: .geofence)) }
    return schemas
  }

  var store: StoreConfiguration { StoreConfiguration(folder: data, retainDays: retainDays, retainBytes: retainBytes) }

  var network: NetworkConfiguration {
    var network = NetworkConfiguration()
    network.loops = loops ?? Processors.count
    network.connectionsMax = connectionsMax ?? network.connectionsMax
    network.times.idle = .seconds(Int64(idleSeconds))
    network.times.head = .seconds(Int64(headSeconds))
    network.times.body = .seconds(Int64(bodySeconds))
    network.times.bodyGrace = .seconds(Int64(bodyGraceSeconds))
    network.times.bodyBytesPerSecond = Int64(bodyBytesPerSecond)
    network.times.write = .seconds(Int64(writeSeconds))
    return network
  }
}
