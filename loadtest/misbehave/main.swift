// misbehave-phone FOLDER URL RECORDS: an app that may be killed at any moment. Its queue is in FOLDER; it makes so many
// records, prints the uuid of each once it is kept, and uploads. With 0 it only delivers what is there, and prints how much
// is left.
import BackgroundGeolocation
import Glibc

/// A line at once: whoever reads it may kill the process next.
func say(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
}

let words = CommandLine.arguments
guard words.count == 4, let records = Int(words[3]) else {
  say("usage: misbehave-phone FOLDER URL RECORDS", to: STDERR_FILENO)
  exit(2)
}
let phone = try BGGeo(folder: words[1], platform: LinuxPlatform(transport: .network()))
phone.ready { config in
  config.http.url = words[2]
  config.http.headers = ["X-Device-Id": "phone"]
  config.http.batchSync = true
  config.http.maxBatchSize = 10
  config.http.timeout = 1_500
}

/// Asks for an upload; the server's refusals are what this is about.
func deliver() async throws {
  do { _ = try await phone.store.sync() } catch { try await Task.sleep(for: .milliseconds(100)) }
}

for number in 0..<records {
  let uuid = try await phone.store.insert([
    "coords": ["latitude": 48.1 + Double(number) * 1e-6, "longitude": 11.5, "accuracy": 5.0], "number": number,
  ])
  say(uuid.lowercased())
  if number % 5 == 4 { Task { try await deliver() } }
  try await Task.sleep(for: .milliseconds(20))
}
for _ in 0..<100 where phone.store.count > 0 { try await deliver() }
say("\(phone.store.count)")
