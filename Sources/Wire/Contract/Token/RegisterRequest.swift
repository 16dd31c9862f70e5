package import JSON

/// The body with which a device registers (SDK §21).
package struct RegisterRequest: Equatable, Sendable {
  package var org: String
  package var uuid: String
  package var model: String
  package var manufacturer: String
  package var version: String
  package var platform: String?
  package var framework: String?
  package var deviceID: String?
  package var deviceModel: String?

  package init(org: String, uuid: String, model: String, manufacturer: String, version: String) {
    self.org = org
    self.uuid = uuid
    self.model = model
    self.manufacturer = manufacturer
    self.version = version
  }

  /// The first five fields must be there; the organisation is looked at first.
  package init(_ value: JSONValue) throws(FieldError) {
    let fields = try FieldReader(value)
    self.init(
      org: try fields.text(RegisterKey.org), uuid: try fields.text(RegisterKey.uuid),
      model: try fields.text(RegisterKey.model), manufacturer: try fields.text(RegisterKey.manufacturer),
      version: try fields.text(RegisterKey.version))
    platform = try fields.optionalText(RegisterKey.platform)
    framework = try fields.optionalText(RegisterKey.framework)
    deviceID = try fields.optionalText(RegisterKey.deviceID)
    deviceModel = try fields.optionalText(RegisterKey.deviceModel)
  }

  package var json: JSONValue {
    var object: JSONObject = [
      RegisterKey.org: .string(org), RegisterKey.uuid: .string(uuid), RegisterKey.model: .string(model),
      RegisterKey.manufacturer: .string(manufacturer), RegisterKey.version: .string(version),
    ]
    object[RegisterKey.platform] = platform.map { .string($0) }
    object[RegisterKey.framework] = framework.map { .string($0) }
    object[RegisterKey.deviceID] = deviceID.map { .string($0) }
    object[RegisterKey.deviceModel] = deviceModel.map { .string($0) }
    return .object(object)
  }
}
