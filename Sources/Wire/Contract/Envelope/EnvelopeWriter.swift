import JSON

/// Writes stored records into the body of an upload. The records are copied unchanged, never serialized again.
///
/// | mode | root "name" | root "." |
/// |---|---|---|
/// | single, object | `{"name":R,…params}` | `{…R,…params}` |
/// | single, array  | `{"name":[…],…params}` | `[…]`, params dropped |
/// | batch | `{"name":[R1,R2],…params}` | `[R1,R2]`, params dropped |
///
/// The empty root means "location". The record takes precedence (SDK §8.2): a param with the name of the root is left out, and
/// without a root one with the name of a member of the record.
package struct EnvelopeWriter: Sendable {
  /// `{"name":`; nil for the root ".".
  private let opening: [UInt8]?
  /// The text after the records in an object: `,"key":value}`.
  private let closing: [UInt8]
  private let params: RenderedObject

  package init(rootProperty: String, params: RenderedObject = .empty) {
    self.params = params
    guard rootProperty != EnvelopeKey.noRoot.description else {
      opening = nil
      closing = []
      return
    }
    let root = rootProperty.isEmpty ? EnvelopeKey.location.description : rootProperty
    var opening = Array("{".utf8)
    var values = ValueWriter()
    values.append(quoted: root, to: &opening)
    opening.append(UInt8(ascii: ":"))
    self.opening = opening
    let members = params.removing(Array(root.utf8)).members
    closing = (members.isEmpty ? [] : [UInt8(ascii: ",")]) + members + [UInt8(ascii: "}")]
  }

  /// The maximum number of bytes written around one record, and around all records of a batch apart from the commas.
  package var overheadBytes: Int { (opening?.count ?? 1) + closing.count + params.members.count + 2 }

  /// Appends the body of one record.
  package func appendSingle(_ record: Span<UInt8>, to bytes: inout [UInt8]) -> EnvelopeWarning? {
    if let opening {
      bytes.append(contentsOf: opening)
      bytes.append(copying: record)
      bytes.append(contentsOf: closing)
      return nil
    }
    let isArray = record.isEmpty || record[0] == UInt8(ascii: "[")
    if params.isEmpty || isArray {
      bytes.append(copying: record)
      return params.isEmpty ? nil : .paramsDropped
    }
    let start = bytes.count
    do {
      try ObjectMerge.append(record, extendedBy: params, to: &bytes)
      return nil
    } catch {
      // The file of the queue is damaged: the server says so of this record, and the app goes on.
      bytes.removeSubrange(start...)
      bytes.append(copying: record)
      return .paramsDropped
    }
  }

  /// Begins the body of a batch, which `appendToBatch` fills and `endBatch` completes; a single record can be a batch too.
  package func beginBatch(to bytes: inout [UInt8]) -> EnvelopeWarning? {
    if let opening { bytes.append(contentsOf: opening) }
    bytes.append(UInt8(ascii: "["))
    return opening == nil && !params.isEmpty ? .paramsDropped : nil
  }

  package func appendToBatch(_ record: Span<UInt8>, to bytes: inout [UInt8]) {
    // No record ends with an opening bracket, so it belongs to the batch.
    if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(copying: record)
  }

  package func endBatch(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "]"))
    bytes.append(contentsOf: closing)
  }
}
