import Base
import Network
import Store

extension ServerConfiguration {
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
