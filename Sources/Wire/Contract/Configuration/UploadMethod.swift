/// The methods a device uploads with. A server accepts more.
package enum UploadMethod: String, CaseIterable, Sendable {
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
}
