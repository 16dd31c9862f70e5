import Contract
public import FoundationEssentials
import JSON

/// The crossing that produced a location with the event `geofence`.
public struct GeofenceTrigger: Sendable {
  /// Of the geofence.
  public let identifier: String
  /// `ENTER`, `EXIT` or `DWELL`.
  public let action: String
  /// When the boundary was crossed; the location may be a little younger.
  public let timestamp: Date
  private let trigger: Contract.GeofenceTrigger

  /// The extras of the geofence; nil when it has none.
  public var extras: [String: Any]? { trigger.extras.dictionary }

  init(_ trigger: Contract.GeofenceTrigger) {
    identifier = trigger.identifier
    action = trigger.action.rawValue
    timestamp = Date(trigger.timestamp)
    self.trigger = trigger
  }
}

extension RenderedObject {
  /// There are two ways from a value, one of which may fail: that of an object never does.
  static func text(of object: JSONObject) -> RenderedObject {
    let text: RenderedObject? = RenderedObject(JSONValue.object(object))
    return text ?? .empty
  }

  /// Nil when there are no members.
  var dictionary: [String: Any]? {
    guard !isEmpty else { return nil }
    var bytes: [UInt8] = []
    append(to: &bytes)
    return JSONObject(parsing: bytes)?.dictionary
  }
}

extension JSONObject {
  /// Nil for anything but one object.
  init?(parsing bytes: [UInt8]) {
    let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)
    do throws(JSONError) {
      guard case .object(let object) = try JSONValue(parsing: bytes.span, limits: limits, duplicateKeys: .lastWins)
      else { return nil }
      self = object
    } catch { return nil }
  }
}
