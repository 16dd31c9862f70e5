import Base
import IngestServer
import Scenario
import Store

extension VirtualServer {
  /// As the devices of a run need it.
  convenience init(store: any Store, for setup: RunSetup) {
    self.init(store: store) { configuration in
      configuration.journalShare = 0
      guard let authorization = setup.authorization else { return }
      configuration.authentication = .required
      configuration.accessSeconds = Int(max(1, authorization.accessTokenLifetime.seconds))
    }
  }
}
