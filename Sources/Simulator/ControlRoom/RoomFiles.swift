import Contract
import HTTPService
import IngestServer

/// The page of the control room, its files, and the API description.
struct RoomFiles: Sendable {
  private let policy = PageFile.policy(images: nil)

  var contract: ServiceAnswer { ServiceAnswer(200, "application/json", ContractFile.room) }

  func page(_ request: ServiceRequest) -> ServiceAnswer { answer(PageFile.room["index.html"], request) }

  /// Returns a file that the server's live page uses, too.
  func shared(_ request: ServiceRequest) -> ServiceAnswer {
    answer(request.path.last.flatMap { PageFile.embedded[$0] }, request)
  }

  func own(_ request: ServiceRequest) -> ServiceAnswer {
    answer(request.path.last.flatMap { PageFile.room[$0] }, request)
  }

  /// Browsers cache a file and revalidate it each time.
  private func answer(_ file: PageFile?, _ request: ServiceRequest) -> ServiceAnswer {
    guard let file else { return .error(404, "not_found", "no route has this path; see /openapi.json") }
    let isKnown = file.isKnown(by: request.ifNoneMatch)
    return ServiceAnswer(isKnown ? 304 : 200, file.mediaType, isKnown ? [] : file.bytes)
      .with(HeaderName.eTag, file.entityTag).with(HeaderName.cacheControl, "no-cache")
      .with(HeaderName.contentSecurityPolicy, policy).with(HeaderName.contentTypeOptions, "nosniff")
      .with(HeaderName.referrerPolicy, "no-referrer").with(HeaderName.crossOriginOpenerPolicy, "same-origin")
      .with(HeaderName.crossOriginResourcePolicy, "same-origin")
  }
}
