"""Defects of access and refresh tokens; they need --tokens."""

import base64
import json
import threading
import time

from defects import around, defect
from tokens import Refused
from wire import Answer


@defect
def expired_403(parts):
    parts.tokens.expired = lambda: Refused(403, "expired access token")


@defect
def unknown_token_500(parts):
    parts.tokens.unknown = lambda: ValueError("not enough segments")


@defect
def unknown_token_403(parts):
    parts.tokens.unknown = lambda: Refused(403, "unknown access token")


@defect
def no_token_accepted(parts):
    @around(parts.backend, "owner")
    def _(owner, request):
        return owner(request) if request.bearer else None


@defect
def login_page_200(parts):
    page = b"<!DOCTYPE html><html><title>Log in</title><body><form method=post></form></body></html>"

    @around(parts.backend, "upload")
    def _(upload, request):
        try:
            return upload(request)
        except Refused:
            return Answer(200, page, {"Content-Type": "text/html"})


@defect
def no_challenge(parts):
    parts.backend.refuse = lambda refusal: Answer(refusal.status, {"error": str(refusal)})


@defect
def refresh_form_unread(parts):
    @around(parts.backend, "refresh")
    def _(refresh, request):
        if request.headers.get_content_type() != "application/json":
            return Answer(400, {"error": "refresh_token is missing"})
        return refresh(request)


@defect
def refresh_json_unread(parts):
    @around(parts.backend, "refresh")
    def _(refresh, request):
        if request.headers.get_content_type() == "application/json":
            return Answer(400, {"error": "refresh_token is missing"})
        return refresh(request)


@defect
def refresh_needs_valid_bearer(parts):
    @around(parts.backend, "refresh")
    def _(refresh, request):
        parts.tokens.device_of(request.bearer)
        return refresh(request)


@defect
def refreshed_token_refused(parts):
    issued = set()

    @around(parts.tokens, "refresh")
    def _(refresh, token):
        answer = refresh(token)
        issued.add(answer["accessToken"])
        return answer

    @around(parts.tokens, "device_of")
    def _(device_of, token):
        if token in issued:
            raise Refused(401, "unknown access token")
        return device_of(token)


@defect
def refresh_single_use(parts):
    @around(parts.tokens, "refresh")
    def _(refresh, token):
        answer = refresh(token)
        with parts.store.transaction() as db:
            db.execute("delete from refresh where token = ?", (token,))
        return answer


@defect
def refresh_race(parts):
    """Each of two refreshes at once revokes what the other has just given."""
    under_way, guard = {}, threading.Lock()

    @around(parts.tokens, "refresh")
    def _(refresh, token):
        with guard:
            under_way[token] = under_way.get(token, 0) + 1
        time.sleep(0.05)
        with guard:
            alone = under_way[token] == 1
            under_way[token] -= 1
        if not alone:
            raise Refused(401, "refresh token already used")
        return refresh(token)


@defect
def refresh_race_orphans(parts):
    """Each refresh gives a new pair and takes the refresh tokens back that the same token has brought before."""
    given = {}

    @around(parts.tokens, "successor")
    def _(successor, db, token, device, known):
        access, refresh = successor(db, token, device, None)
        db.execute("delete from refresh where token = ?", (given.get(token),))
        given[token] = refresh
        return access, refresh


@defect
def tokens_never_end(parts):
    @around(parts.tokens, "device_of")
    def _(device_of, token):
        with parts.store.lock:
            row = parts.store.db.execute("select device from access where token = ?", (token,)).fetchone()
        return row[0] if row else device_of(token)


@defect
def tokens_end_early(parts):
    @around(parts.tokens, "answer")
    def _(answer, *pair):
        return answer(*pair) | {"expires": parts.tokens.life * 24}


@defect
def expires_in_ms(parts):
    @around(parts.tokens, "answer")
    def _(answer, *pair):
        return answer(*pair) | {"expires": int(parts.tokens.life * 1000)}


@defect
def refresh_without_expiry(parts):
    @around(parts.tokens, "refresh")
    def _(refresh, token):
        return {name: value for name, value in refresh(token).items() if name != "expires"}


@defect
def register_without_refresh_token(parts):
    @around(parts.tokens, "register")
    def _(register, device):
        return {name: value for name, value in register(device).items() if name != "refreshToken"}


@defect
def refresh_works_once(parts):
    @around(parts.tokens, "refresh")
    def _(refresh, token):
        answer = refresh(token)
        with parts.store.transaction() as db:
            db.execute("delete from refresh where token = ?", (answer["refreshToken"],))
        return answer


@defect
def refresh_tokens_in_array(parts):
    @around(parts.tokens, "refresh")
    def _(refresh, token):
        return {"tokens": [refresh(token)]}


@defect
def refresh_page(parts):
    @around(parts.backend, "refresh")
    def _(refresh, request):
        refresh(request)
        return Answer(200, b"<!DOCTYPE html><html><body>Signed in</body></html>", {"Content-Type": "text/html"})


@defect
def dead_refresh_200(parts):
    @around(parts.backend, "refresh")
    def _(refresh, request):
        try:
            return refresh(request)
        except Refused:
            return Answer(200, {"success": False, "error": "invalid_grant"})


@defect
def dead_refresh_500(parts):
    @around(parts.backend, "refresh")
    def _(refresh, request):
        try:
            return refresh(request)
        except Refused:
            return Answer(500, {"error": "internal error"})


@defect
def refresh_makes_new_device(parts):
    @around(parts.tokens, "successor")
    def _(successor, db, token, device, known):
        return successor(db, token, device + "-2", known)


@defect
def tokens_forgotten_on_restart(parts):
    with parts.store.transaction() as db:
        db.execute("delete from access")
        db.execute("delete from refresh")


@defect
def refresh_tokens_forgotten_on_restart(parts):
    with parts.store.transaction() as db:
        db.execute("delete from refresh")


@defect
def seen_token_never_ends(parts):
    """A cache of good tokens, without their ends."""
    seen = {}

    @around(parts.tokens, "device_of")
    def _(device_of, token):
        if token not in seen:
            seen[token] = device_of(token)
        return seen[token]


def device_of_expired(parts, token):
    """The device of an access token that was given out, whatever its end."""
    with parts.store.transaction() as db:
        row = db.execute("select device from access where token = ?", (token,)).fetchone()
    return row[0] if row else None


@defect
def expired_stored(parts):
    """The token is looked at when the records are in."""

    @around(parts.backend, "owner")
    def _(owner, request):
        try:
            return owner(request)
        except Refused:
            device = device_of_expired(parts, request.bearer)
            if device:
                with parts.store.transaction():
                    parts.store.save(parts.intake.read(request.body, None, device))
            raise


@defect
def unsigned_jwt_accepted(parts):
    """Access tokens are JWTs, and each says by itself how it is signed."""

    def segment(content):
        return base64.urlsafe_b64encode(content).rstrip(b"=").decode()

    def read(text):
        return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))

    @around(parts.tokens, "new_pair")
    def _(new_pair, db, device):
        access, refresh = new_pair(db, device)
        claims = json.dumps({"sub": device}).encode()
        token = ".".join([segment(b'{"alg":"HS256","typ":"JWT"}'), segment(claims), segment(access.encode())])
        db.execute("update access set token = ? where token = ?", (token, access))
        return token, refresh

    @around(parts.tokens, "device_of")
    def _(device_of, token):
        pieces = (token or "").split(".")
        try:
            if len(pieces) == 3 and read(pieces[0]).get("alg") == "none":
                return read(pieces[1])["sub"]
        except ValueError:
            pass
        return device_of(token)


@defect
def expired_without_challenge(parts):
    @around(parts.backend, "refuse")
    def _(refuse, refusal):
        answer = refuse(refusal)
        return Answer(answer.status, answer.content) if "expired" in str(refusal) else answer


@defect
def device_before_token(parts):
    @around(parts.intake, "read")
    def _(read, body, hints, device=None):
        return read(body, device or hints, None)


@defect
def authorization_case(parts):
    @around(parts.backend, "owner")
    def _(owner, request):
        if "Authorization" not in request.headers.keys():
            del request.headers["Authorization"]
        return owner(request)


@defect
def token_by_its_beginning(parts):
    @around(parts.tokens, "device_of")
    def _(device_of, token):
        try:
            return device_of(token)
        except Refused:
            with parts.store.lock:
                row = parts.store.db.execute(
                    "select token from access where substr(token, 1, 8) = ?", ((token or "")[:8],)
                ).fetchone()
            if not row:
                raise
            return device_of(row[0])


@defect
def tokens_in_memory(parts):
    with parts.store.transaction() as db:
        for table in ("access", "refresh"):
            db.execute(f"delete from {table}")


@defect
def second_registration_409(parts):
    registered = set()

    @around(parts.tokens, "register")
    def _(register, device):
        if device in registered:
            raise Refused(409, "registered already")
        registered.add(device)
        return register(device)


@defect
def refresh_grace_too_short(parts):
    """For 50 ms the token of a refresh can be shown again."""
    used = {}

    @around(parts.tokens, "refresh")
    def _(refresh, token):
        if time.monotonic() - used.setdefault(token, time.monotonic()) > 0.05:
            raise Refused(401, "refresh token already used")
        return refresh(token)


@defect
def expired_taken_in_batches(parts):
    @around(parts.backend, "owner")
    def _(owner, request):
        try:
            return owner(request)
        except Refused:
            device = device_of_expired(parts, request.bearer)
            if device and len(parts.intake.read(request.body, None, device).records) > 1:
                return device
            raise


@defect
def batches_named_by_params(parts):
    @around(parts.intake, "read")
    def _(read, body, hints, device=None):
        upload = read(body, hints, device)
        named = upload.params.get("device_id")
        if device and upload.batch and isinstance(named, str):
            for record in upload.records:
                record.device = named
        return upload


@defect
def empty_token_accepted(parts):
    """The search for the token is left out where it is empty."""

    @around(parts.backend, "owner")
    def _(owner, request):
        return None if request.bearer == "" else owner(request)


@defect
def refresh_token_uploads(parts):
    @around(parts.tokens, "device_of")
    def _(device_of, token):
        with parts.store.lock:
            row = parts.store.db.execute("select device from refresh where token = ?", (token or "",)).fetchone()
        return row[0] if row else device_of(token)


@defect
def access_token_refreshes(parts):
    @around(parts.tokens, "refresh")
    def _(refresh, token):
        with parts.store.transaction() as db:
            row = db.execute("select device from access where token = ?", (token or "",)).fetchone()
            if row:
                return parts.tokens.answer(*parts.tokens.new_pair(db, row[0]))
        return refresh(token)


@defect
def token_by_its_beginning(parts):
    """Compares as many letters as came, and at least sixteen."""

    @around(parts.tokens, "device_of")
    def _(device_of, token):
        if token and len(token) >= 16:
            with parts.store.lock:
                row = parts.store.db.execute(
                    "select token from access where substr(token, 1, length(?1)) = ?1", (token,)
                ).fetchone()
            token = row[0] if row else token
        return device_of(token)


@defect
def null_token_accepted(parts):
    @around(parts.backend, "owner")
    def _(owner, request):
        return None if request.bearer == "null" else owner(request)


@defect
def empty_refresh_accepted(parts):
    """Finds the last refresh token where it is asked for none."""

    @around(parts.tokens, "refresh")
    def _(refresh, token):
        if not token:
            with parts.store.lock:
                token = parts.store.db.execute("select token from refresh order by rowid desc").fetchone()[0]
        return refresh(token)


@defect
def expired_acknowledged_and_dropped(parts):
    @around(parts.backend, "upload")
    def _(upload, request):
        try:
            return upload(request)
        except Refused as refusal:
            if str(refusal) == "expired access token":
                return Answer(200, {"success": True})
            raise


@defect
def connection_stays_signed_in(parts):
    @around(parts.backend, "owner")
    def _(owner, request):
        known = getattr(request.connection, "signed_in", None)
        request.connection.signed_in = known or owner(request)
        return request.connection.signed_in


@defect
def refresh_repeats_its_bearer(parts):
    @around(parts.backend, "refresh")
    def _(refresh, request):
        answer = refresh(request)
        if request.bearer:
            answer.content = answer.content | {"accessToken": request.bearer}
        return answer
