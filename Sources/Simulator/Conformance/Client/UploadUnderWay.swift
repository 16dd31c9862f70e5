import Base
import Contract
import Upload

/// An upload of which half has been sent.
final class UploadUnderWay {
  let phone: ConformancePhone
  let record: SentRecord
  private let connection: RawConnection
  private let rest: [UInt8]

  init(_ run: ClauseRun) throws {
    phone = try run.phone { $0.http.batchSync = run.facts.prefersBatches }
    record = run.fix(phone)
    let request = RawRequest(try run.request(phone, [record]))
    connection = try run.connect()
    let half = request.body.count / 2
    connection.send(request.head + request.body.prefix(half))
    rest = Array(request.body.dropFirst(half))
  }

  /// Sends the rest, and returns whether the answer acknowledges it.
  func finish() -> Bool {
    connection.send(rest)
    return connection.reply(within: .seconds(3)).isSuccess
  }
}
