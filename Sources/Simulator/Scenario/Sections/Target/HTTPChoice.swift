/// The version of HTTP.
package enum HTTPChoice: String, CaseIterable, Sendable {
  case version11 = "1.1"
}
