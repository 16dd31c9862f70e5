import CEmbedded

/// openapi/openapi.json, which is part of the executable.
enum ContractFile {
  static let bytes: [UInt8] = unsafe Array(UnsafeBufferPointer(start: rr_contract(), count: rr_contract_count()))
}
