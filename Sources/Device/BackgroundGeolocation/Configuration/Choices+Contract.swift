import Contract

// The choices of the public groups and those of the wire are the same, name by name: `ConfigurationChoiceTests` counts
// them.

extension HttpMethod {
  init(_ method: UploadMethod) { self = Self(rawValue: method.rawValue) ?? .post }
  var contract: UploadMethod { UploadMethod(rawValue: rawValue) ?? .post }
}

extension PersistMode {
  init(_ mode: Contract.PersistMode) { self = Self(rawValue: mode.rawValue) ?? .all }
  var contract: Contract.PersistMode { Contract.PersistMode(rawValue: rawValue) ?? .all }
}

extension LocationsOrderDirection {
  init(_ order: LocationsOrder) { self = Self(rawValue: order.rawValue) ?? .ascending }
  var contract: LocationsOrder { LocationsOrder(rawValue: rawValue) ?? .ascending }
}

extension TimestampFormat {
  init(_ format: Contract.TimestampFormat) { self = Self(rawValue: format.rawValue) ?? .iso }
  var contract: Contract.TimestampFormat { Contract.TimestampFormat(rawValue: rawValue) ?? .iso }
}

extension LocationAuthorizationRequest {
  init(_ request: Contract.LocationAuthorizationRequest) { self = Self(rawValue: request.rawValue) ?? .always }
  var contract: Contract.LocationAuthorizationRequest {
    Contract.LocationAuthorizationRequest(rawValue: rawValue) ?? .always
  }
}

extension AuthorizationStrategy {
  init(_ strategy: Contract.AuthorizationStrategy) { self = Self(rawValue: strategy.rawValue) ?? .jwt }
  var contract: Contract.AuthorizationStrategy { Contract.AuthorizationStrategy(rawValue: rawValue) ?? .jwt }
}

extension LogLevel {
  init(_ level: Contract.LogLevel) { self = Self(rawValue: level.rawValue) ?? .off }
  var contract: Contract.LogLevel { Contract.LogLevel(rawValue: rawValue) ?? .off }
}

extension FilterPolicy {
  init(_ policy: Contract.FilterPolicy) { self = Self(rawValue: policy.rawValue) ?? .conservative }
  var contract: Contract.FilterPolicy { Contract.FilterPolicy(rawValue: rawValue) ?? .conservative }
}

extension KalmanProfile {
  init(_ profile: Contract.KalmanProfile) { self = Self(rawValue: profile.rawValue) ?? .balanced }
  var contract: Contract.KalmanProfile { Contract.KalmanProfile(rawValue: rawValue) ?? .balanced }
}

extension CLActivityType {
  init(_ purpose: LocationPurpose) { self = Self(rawValue: purpose.rawValue) ?? .other }
  var contract: LocationPurpose { LocationPurpose(rawValue: rawValue) ?? .other }
}
