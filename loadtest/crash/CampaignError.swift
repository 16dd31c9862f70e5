import Glibc

/// The campaign itself could not go on; says nothing about the server.
struct CampaignError: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, _ code: Int32 = 0) {
    description = code == 0 ? what : unsafe "\(what): \(String(cString: strerror(code)))"
  }
}
