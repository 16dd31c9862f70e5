import Contract

/// A choice of the API with a counterpart on the wire that has the same cases and raw values.
protocol ContractChoice: RawRepresentable {
  associatedtype Counterpart: RawRepresentable where Counterpart.RawValue == RawValue
}

extension ContractChoice {
  init(_ other: Counterpart) {
    guard let choice = Self(rawValue: other.rawValue) else { preconditionFailure("the API has no \(other)") }
    self = choice
  }

  var contract: Counterpart {
    guard let other = Counterpart(rawValue: rawValue) else { preconditionFailure("the contract has no \(self)") }
    return other
  }
}

extension HttpMethod: ContractChoice { typealias Counterpart = UploadMethod }
extension PersistMode: ContractChoice { typealias Counterpart = Contract.PersistMode }
extension LocationsOrderDirection: ContractChoice { typealias Counterpart = LocationsOrder }
extension TimestampFormat: ContractChoice { typealias Counterpart = Contract.TimestampFormat }
extension LocationAuthorizationRequest: ContractChoice { typealias Counterpart = Contract.LocationAuthorizationRequest }
extension AuthorizationStrategy: ContractChoice { typealias Counterpart = Contract.AuthorizationStrategy }
extension LogLevel: ContractChoice { typealias Counterpart = Contract.LogLevel }
extension FilterPolicy: ContractChoice { typealias Counterpart = Contract.FilterPolicy }
extension KalmanProfile: ContractChoice { typealias Counterpart = Contract.KalmanProfile }
extension CLActivityType: ContractChoice { typealias Counterpart = LocationPurpose }
