import Contract
import JSON
import Testing

/// SDK §2: values that are well formed and still do not work.
struct ConfigurationCombinationTests {
  private func warnings(_ documents: String...) throws -> [ConfigurationWarning] {
    var configuration = Configuration(platform: .ios)
    var last: [ConfigurationWarning] = []
    for document in documents { last = configuration.apply(try JSONValue(source: document)).warnings }
    return last
  }

  private func uploadURL(_ url: String) -> String? {
    var configuration = Configuration(platform: .ios)
    configuration.http.url = url
    return configuration.http.uploadURL
  }

  /// §2.3
  @Test func startOnBootNeedsTrackingThatOutlivesTheApp() throws {
    let expected = ConfigurationWarning.withoutEffect("app.startOnBoot", because: "app.stopOnTerminate")
    #expect(try warnings(#"{"startOnBoot":true}"#) == [expected])
    #expect(try warnings(#"{"startOnBoot":true,"stopOnTerminate":false}"#) == [])
    #expect(try warnings(#"{"startOnBoot":true}"#, #"{"debug":true}"#) == [])
    #expect(try warnings(#"{"startOnBoot":true,"stopOnTerminate":false}"#, #"{"stopOnTerminate":true}"#) == [expected])
  }

  /// §2.7
  @Test func stopOnStationaryNeedsStopDetection() throws {
    let expected = ConfigurationWarning.withoutEffect(
      "activity.stopOnStationary", because: "activity.disableStopDetection")
    #expect(try warnings(#"{"stopOnStationary":true,"disableStopDetection":true}"#) == [expected])
    #expect(try warnings(#"{"stopOnStationary":true}"#) == [])
  }

  /// §2.8
  @Test func theRefreshRequestMustHoldTheToken() throws {
    #expect(try warnings(#"{"authorization":{"refreshUrl":"https://a.example/r"}}"#) == [.refreshTokenNotSent])
    let document =
      #"{"authorization":{"refreshUrl":"https://a.example/r","refreshPayload":{"n":1,"t":"x{refreshToken}y"}}}"#
    #expect(try warnings(document) == [])
    #expect(try warnings(document, #"{"authorization":{"refreshPayload":{"t":"x"}}}"#) == [.refreshTokenNotSent])
  }

  /// §2.5
  @Test(arguments: [
    "http://a", "https://a.example/locations", "HTTPS://A", "https://user:pw@a.example:8080?x=1", "http://[::1]/l",
    "http://a#f", "http://127.0.0.1",
  ])
  func httpAndHttpsURLsWithAHostAreUploadedTo(url: String) throws {
    #expect(try warnings(#"{"url":"\#(url)"}"#) == [])
    #expect(uploadURL(url) == url)
  }

  @Test(arguments: [
    "a.example", "ftp://a.example", "https:/a.example", "https://", "http:///x", "https://?q", "https://:8080/",
    "http://user@", "/locations", "//a.example", "https", "wss://a",
  ])
  func otherURLsAreNotUploadedTo(url: String) throws {
    #expect(try warnings(#"{"url":"\#(url)"}"#) == [.unusableURL("http.url")])
    #expect(uploadURL(url) == nil)
  }

  @Test func aSpaceInTheURLIsWarnedAbout() throws {
    #expect(try warnings(#"{"url":"https://a.example/x y"}"#) == [.spaceInURL("http.url")])
  }

  @Test func noURLMeansNoUploadAndNoWarning() throws {
    #expect(try warnings(#"{"url":"https://a.example"}"#, #"{"url":""}"#) == [])
    #expect(uploadURL("") == nil)
  }
}
