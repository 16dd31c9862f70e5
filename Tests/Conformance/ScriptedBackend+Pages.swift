import Base
import Support

@testable import BackendStore
@testable import Conformance

/// What its list shows.
extension ScriptedBackend {
  func shown(of all: [Entry]) -> ArraySlice<Entry> {
    return switch listing {
    case .firstHundred: all.prefix(100)
    case .newestHundred: all.suffix(100)
    case .skipsRows: all.enumerated().filter { $0.offset % 64 != 15 }.map(\.element)[...]
    default: all[...]
    }
  }

  func page(of all: [Entry], _ device: String, fromEntry start: Int) -> BareServer.Answer {
    let shown = all.dropFirst(start).prefix(100)
    let next = start + 100 < all.count ? "\"/stored?device=\(device)&after=\(start + 100)\"" : "null"
    return .ok("{\"points\":[\(shown.map(\.text).joined(separator: ","))],\"next_page\":\(next)}")
  }

  /// Fifty of a list, from the whole second on behind which the last page ended.
  func page(of all: [Entry], _ device: String, from second: Int64) -> BareServer.Answer {
    let rest = all.filter { instant(of: $0.record) / 1_000 > second }
    let shown = rest.prefix(50)
    let last = shown.last.map { instant(of: $0.record) / 1_000 } ?? 0
    let next = shown.count < rest.count ? "\"/stored?device=\(device)&after=\(last)\"" : "null"
    return .ok("{\"points\":[\(shown.map(\.text).joined(separator: ","))],\"next\":\(next)}")
  }
}
