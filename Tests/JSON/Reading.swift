import JSON
import Support

/// The error of pulling everything out of a text, or nil.
func refusal(_ text: String, limits: JSONLimits = .standard) -> JSONError? {
  refusal(Array(text.utf8), limits: limits)
}

func refusal(_ bytes: [UInt8], limits: JSONLimits = .standard) -> JSONError? {
  do throws(JSONError) {
    _ = try JSONEvent.all(bytes.span, limits: limits)
    return nil
  } catch {
    return error
  }
}

/// The error of passing over a text, or nil.
func refusalWhenSkipped(_ bytes: [UInt8]) -> JSONError? {
  do throws(JSONError) {
    var reader = JSONReader(bytes.span)
    _ = try reader.skipValue()
    try reader.finish()
    return nil
  } catch {
    return error
  }
}

/// What the one string of a text says.
func content(_ text: String) throws(JSONError) -> String {
  let bytes = Array(text.utf8)
  var reader = JSONReader(bytes.span)
  let content = reader.string(try reader.readText())
  try reader.finish()
  return content
}

/// What the one number of a text is, in all its readings.
func numbers(_ text: String) throws(JSONError) -> (double: Double, int64: Int64?, isInteger: Bool) {
  let bytes = Array(text.utf8)
  var reader = JSONReader(bytes.span)
  let number = try reader.readNumber()
  try reader.finish()
  return (reader.double(number), reader.int64(number), number.isInteger)
}

/// What a few calls of a writer give.
func written(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  write(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}
