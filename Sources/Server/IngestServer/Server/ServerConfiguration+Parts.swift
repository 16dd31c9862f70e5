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
    return network
  }
}
