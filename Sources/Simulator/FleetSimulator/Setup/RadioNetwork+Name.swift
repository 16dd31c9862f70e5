import World

extension RadioNetwork {
  init?(name: String) {
    switch name {
    case "wifi": self = .wifi
    case "lte": self = .lte
    case "hsdpa": self = .hsdpa
    case "edge": self = .edge
    case "none": self = .none
    default: return nil
    }
  }
}
