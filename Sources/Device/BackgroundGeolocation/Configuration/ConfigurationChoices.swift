import Contract

// The choices of the API and those of the wire, which have the same names: a case that one side alone has does not compile.

extension HttpMethod {
  init(_ other: UploadMethod) {
    self =
      switch other {
      case .post: .post
      case .put: .put
      case .patch: .patch
      }
  }

  var contract: UploadMethod {
    switch self {
    case .post: .post
    case .put: .put
    case .patch: .patch
    }
  }
}

extension PersistMode {
  init(_ other: Contract.PersistMode) {
    self =
      switch other {
      case .geofence: .geofence
      case .none: .none
      case .location: .location
      case .all: .all
      }
  }

  var contract: Contract.PersistMode {
    switch self {
    case .geofence: .geofence
    case .none: .none
    case .location: .location
    case .all: .all
    }
  }
}

extension LocationsOrderDirection {
  init(_ other: LocationsOrder) {
    self =
      switch other {
      case .ascending: .ascending
      case .descending: .descending
      }
  }

  var contract: LocationsOrder {
    switch self {
    case .ascending: .ascending
    case .descending: .descending
    }
  }
}

extension TimestampFormat {
  init(_ other: Contract.TimestampFormat) {
    self =
      switch other {
      case .iso: .iso
      case .epoch: .epoch
      }
  }

  var contract: Contract.TimestampFormat {
    switch self {
    case .iso: .iso
    case .epoch: .epoch
    }
  }
}

extension LocationAuthorizationRequest {
  init(_ other: Contract.LocationAuthorizationRequest) {
    self =
      switch other {
      case .always: .always
      case .whenInUse: .whenInUse
      case .any: .any
      }
  }

  var contract: Contract.LocationAuthorizationRequest {
    switch self {
    case .always: .always
    case .whenInUse: .whenInUse
    case .any: .any
    }
  }
}

extension AuthorizationStrategy {
  init(_ other: Contract.AuthorizationStrategy) {
    self =
      switch other {
      case .jwt: .jwt
      case .sas: .sas
      }
  }

  var contract: Contract.AuthorizationStrategy {
    switch self {
    case .jwt: .jwt
    case .sas: .sas
    }
  }
}

extension LogLevel {
  init(_ other: Contract.LogLevel) {
    self =
      switch other {
      case .off: .off
      case .error: .error
      case .warning: .warning
      case .info: .info
      case .debug: .debug
      case .verbose: .verbose
      }
  }

  var contract: Contract.LogLevel {
    switch self {
    case .off: .off
    case .error: .error
    case .warning: .warning
    case .info: .info
    case .debug: .debug
    case .verbose: .verbose
    }
  }
}

extension FilterPolicy {
  init(_ other: Contract.FilterPolicy) {
    self =
      switch other {
      case .passThrough: .passThrough
      case .adjust: .adjust
      case .conservative: .conservative
      }
  }

  var contract: Contract.FilterPolicy {
    switch self {
    case .passThrough: .passThrough
    case .adjust: .adjust
    case .conservative: .conservative
    }
  }
}

extension KalmanProfile {
  init(_ other: Contract.KalmanProfile) {
    self =
      switch other {
      case .balanced: .balanced
      case .smooth: .smooth
      case .quick: .quick
      }
  }

  var contract: Contract.KalmanProfile {
    switch self {
    case .balanced: .balanced
    case .smooth: .smooth
    case .quick: .quick
    }
  }
}

extension CLActivityType {
  init(_ other: LocationPurpose) {
    self =
      switch other {
      case .other: .other
      case .automotiveNavigation: .automotiveNavigation
      case .fitness: .fitness
      case .otherNavigation: .otherNavigation
      case .airborne: .airborne
      }
  }

  var contract: LocationPurpose {
    switch self {
    case .other: .other
    case .automotiveNavigation: .automotiveNavigation
    case .fitness: .fitness
    case .otherNavigation: .otherNavigation
    case .airborne: .airborne
    }
  }
}
