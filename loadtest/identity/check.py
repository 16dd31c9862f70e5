"""Tokens across libraries: those of `serve --identity` read by PyJWT and authlib, and those of both read by `serve --jwks`,
the attacks of RFC 8725 included. Usage: check.py PROGRAM (a built rollingroad). Ends with 1 when one answer is not as expected."""

import base64
import hashlib
import hmac
import json
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from authlib.jose import JsonWebKey, JsonWebToken
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

PROGRAM = sys.argv[1]
RECORD = json.dumps({"location": {"uuid": "3F2504E0-4F89-41D3-9A0C-0305E82C3301", "timestamp": "2026-07-28T18:34:22.563Z",
                                  "coords": {"latitude": 48.1, "longitude": 11.5, "accuracy": 5}}}).encode()
failures = 0


def expect(what, got, wanted):
    global failures
    is_right = got == wanted if not callable(wanted) else wanted(got)
    failures += not is_right
    print(f"{'ok  ' if is_right else 'BAD '} {what}: {got}")


class Server:
    """A server of the product at a free port, without a data folder."""

    def __init__(self, *flags):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", ":memory:", "--auth", "required", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, path, body=None, headers=None):
        request = urllib.request.Request(self.url + path, data=body, headers=headers or {}, method="POST" if body is not None else "GET")
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    def upload(self, token):
        status, body, headers = self.ask("/locations", RECORD, {"Authorization": f"Bearer {token}"})
        if status == 200:
            return 200
        if status == 401 and "invalid_token" not in headers.get("WWW-Authenticate", ""):
            return "401 without a challenge"
        return f"{status} {json.loads(body)['error']['code']}"


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
REALM = "/realms/rollingroad"
# Login and refresh, as bytes; what an access token is called in the answer to each; the discovery document.
PROVIDERS = {
    "keycloak": (REALM + "/protocol/openid-connect/token", FORM, b"grant_type=password&client_id=a&username=phone-1&password=b", "access_token",
                 REALM + "/protocol/openid-connect/token", FORM, "grant_type=refresh_token&client_id=a&refresh_token={}", REALM),
    "cognito": ("/", {"Content-Type": "application/x-amz-json-1.1",
                      "X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth"},
                b'{"ClientId":"a","AuthFlow":"USER_PASSWORD_AUTH","AuthParameters":{"USERNAME":"phone-1","PASSWORD":"b"}}', "AccessToken",
                "/oauth2/token", FORM, "grant_type=refresh_token&client_id=a&refresh_token={}", "/us-east-1_rollroad1"),
    "auth0": ("/oauth/token", JSON, b'{"grant_type":"password","client_id":"a","scope":"offline_access","username":"phone-1","password":"b"}', "access_token",
              "/oauth/token", FORM, "grant_type=refresh_token&client_id=a&refresh_token={}", ""),
    "firebase": ("/v1/accounts:signInWithPassword?key=a", JSON, b'{"email":"phone-1","password":"b"}', "idToken",
                 "/v1/token?key=a", FORM, "grant_type=refresh_token&refresh_token={}", "/rolling-road"),
    "supabase": ("/auth/v1/token?grant_type=password", JSON, b'{"email":"phone-1","password":"b"}', "access_token",
                 "/auth/v1/token?grant_type=refresh_token", JSON, '{{"refresh_token":"{}"}}', "/auth/v1"),
    "own": ("/api/register", JSON, b'{"org":"a","uuid":"phone-1","model":"m","manufacturer":"f","version":"1"}', "accessToken",
            "/api/refresh_token", FORM, "refresh_token={}", ""),
}


def find(answer, *names):
    if isinstance(answer, dict):
        for key, value in answer.items():
            if key in names:
                return value
            found = find(value, *names)
            if found:
                return found
    return None


def read(server, token, discovery):
    """By both libraries, with the keys that the server publishes now."""
    client = jwt.PyJWKClient(discovery["jwks_uri"])
    key = client.get_signing_key_from_jwt(token)
    by_pyjwt = jwt.decode(token, key.key, algorithms=["RS256", "ES256"], issuer=discovery["issuer"], options={"verify_aud": False})
    keys = JsonWebKey.import_key_set(json.loads(server.ask(urllib.parse.urlparse(discovery["jwks_uri"]).path)[1]))
    by_authlib = JsonWebToken(["RS256", "ES256"]).decode(token, keys)
    by_authlib.validate()
    return by_pyjwt["sub"] == by_authlib["sub"] == "phone-1"


def check_provider(name):
    login, login_headers, login_body, access, refresh, refresh_headers, refresh_body, issuer = PROVIDERS[name]
    with Server("--identity", name) as server:
        discovery = json.loads(server.ask(issuer + "/.well-known/openid-configuration")[1])
        expect(f"{name}: issuer", discovery["issuer"].rstrip("/"), server.url + issuer)
        status, body, _ = server.ask(login, login_body, login_headers)
        answer = json.loads(body)
        first = find(answer, access)
        expect(f"{name}: login", status, 200)
        expect(f"{name}: the token is read by PyJWT and authlib", read(server, first, discovery), True)
        expect(f"{name}: the token is taken", server.upload(first), 200)
        keys = json.loads(server.ask("/admin/v1/tokens/rotate-keys", b"")[1])["keys"]
        expect(f"{name}: keys after a rotation", keys, 2)
        status, body, _ = server.ask(refresh, refresh_body.format(find(answer, "refresh_token", "refreshToken", "RefreshToken")).encode(), refresh_headers)
        second = find(json.loads(body), "access_token")
        expect(f"{name}: refresh", status, 200)
        expect(f"{name}: another key has signed", jwt.get_unverified_header(first)["kid"] != jwt.get_unverified_header(second)["kid"], True)
        for token, which in ((first, "old"), (second, "new")):
            expect(f"{name}: the token of the {which} key is read by both", read(server, token, discovery), True)
            expect(f"{name}: the token of the {which} key is taken", server.upload(token), 200)
        identity = find(json.loads(body), "id_token")
        if identity and identity != second:
            expect(f"{name}: an identity token is refused", server.upload(identity), "401 token_wrongType")


class Issuer:
    """A key set at a URL, that can change and fail."""

    def __init__(self):
        self.text, self.status, self.asked = b'{"keys":[]}', 200, 0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.asked += 1
                self.send_response(issuer.status)
                self.send_header("Content-Length", str(len(issuer.text)))
                self.end_headers()
                self.wfile.write(issuer.text)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"


def jwk(algorithm, key, kid, **more):
    made = {"RSA": RSAAlgorithm, "EC": ECAlgorithm, "OKP": OKPAlgorithm}[algorithm].to_jwk(key.public_key())
    return {**json.loads(made), "kid": kid, **more}


def encode(part):
    return base64.urlsafe_b64encode(part if isinstance(part, bytes) else json.dumps(part).encode()).rstrip(b"=").decode()


def forged(header, claims, secret):
    signed = f"{encode(header)}.{encode(claims)}"
    return signed + "." + encode(hmac.new(secret, signed.encode(), hashlib.sha256).digest())


def until_known(server, token):
    """What an upload gets, and how often it was told to wait for the keys before."""
    waits = 0
    while True:
        answer = server.upload(token)
        if answer != "503 keys_unavailable" or waits > 200:
            return answer, waits
        waits += 1
        time.sleep(0.1)


def check_foreign():
    now = int(time.time())
    claims = {"iss": "https://login.example", "aud": "phones", "sub": "phone-1", "iat": now, "exp": now + 3600}
    keys = {"RS256": rsa.generate_private_key(65537, 2048), "PS256": rsa.generate_private_key(65537, 3072),
            "ES256": ec.generate_private_key(ec.SECP256R1()), "EdDSA": ed25519.Ed25519PrivateKey.generate()}
    families = {"RS256": "RSA", "PS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}
    weak = rsa.generate_private_key(65537, 1024)
    issuer = Issuer()
    known = [jwk(families[name], key, name) for name, key in keys.items()] + [jwk("RSA", weak, "weak")]
    issuer.text = json.dumps({"keys": known + [{"kty": "oct", "kid": "secret", "k": encode(b"s" * 32)}]}).encode()

    def token(name, content=None, **header):
        return jwt.encode({**claims, **(content or {})}, keys[name], algorithm=name, headers={"kid": name, **header})

    with Server("--jwks", issuer.url, "--issuer", "https://login.example", "--audience", "phones") as server:
        expect("foreign: the first token waits for the keys at most", until_known(server, token("RS256"))[0], 200)
        for name in keys:
            expect(f"foreign: {name} of PyJWT", server.upload(token(name)), 200)
        for name, private in (("RS256", keys["RS256"]), ("ES256", keys["ES256"])):
            pem = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            made = JsonWebToken([name]).encode({"alg": name, "kid": name}, claims, pem).decode()
            expect(f"foreign: {name} of authlib", server.upload(made), 200)
        public = keys["RS256"].public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        attacks = {
            "none": (f"{encode({'alg': 'none', 'kid': 'RS256'})}.{encode(claims)}.", "401 token_wrongAlgorithm"),
            "nOnE": (f"{encode({'alg': 'nOnE'})}.{encode(claims)}.", "401 token_wrongAlgorithm"),
            "the public key as the secret": (forged({"alg": "HS256", "kid": "RS256"}, claims, public), "401 token_unknownKey"),
            "the public key as the secret, without kid": (forged({"alg": "HS256"}, claims, public), "401 token_unknownKey"),
            "the symmetric key of the set": (forged({"alg": "HS256", "kid": "secret"}, claims, b"s" * 32), "401 token_unknownKey"),
            "RS256 by the key of ES256": (token("RS256", None, kid="ES256"), "401 token_wrongAlgorithm"),
            "RS256 by the key of PS256": (token("RS256", None, kid="PS256"), "401 token_wrongSignature"),
            "kid as a path": (token("RS256", None, kid="../../../../dev/null"), lambda got: got in ("401 token_unknownKey", "503 keys_unavailable")),
            "kid as a query": (token("RS256", None, kid="x' UNION SELECT 'y"), lambda got: got in ("401 token_unknownKey", "503 keys_unavailable")),
            "kid as a list": (f"{encode({'alg': 'RS256', 'kid': ['RS256']})}.{token('RS256').split('.', 1)[1]}", "401 token_malformed"),
            "a key in the header": (jwt.encode(claims, rsa.generate_private_key(65537, 2048), algorithm="RS256", headers={"kid": "RS256", "jwk": jwk("RSA", weak, "x")}), "401 token_wrongSignature"),
            "a URL of keys in the header": (jwt.encode(claims, weak, algorithm="RS256", headers={"kid": "RS256", "jku": issuer.url}), "401 token_wrongSignature"),
            "crit": (token("RS256", None, crit=["exp"]), "401 token_malformed"),
            "a weak key": (jwt.encode(claims, weak, algorithm="RS256", headers={"kid": "weak"}), "401 token_weakKey"),
            "another issuer": (token("ES256", {"iss": "https://evil.example"}), "401 token_wrongIssuer"),
            "another audience": (token("ES256", {"aud": "cars"}), "401 token_wrongAudience"),
            "expired": (token("ES256", {"exp": now - 60}), "401 token_expired"),
            "begins later": (token("ES256", {"nbf": now + 60}), "401 token_notYetValid"),
            "made later": (token("ES256", {"iat": now + 60}), "401 token_notYetValid"),
            "no device": (jwt.encode({k: v for k, v in claims.items() if k != "sub"}, keys["ES256"], algorithm="ES256", headers={"kid": "ES256"}), "401 token_noDevice"),
            "an identity token": (token("ES256", {"token_use": "id"}), "401 token_wrongType"),
            "claims twice": (f"{encode({'alg': 'none'})}.{encode(b'{' + json.dumps(claims).encode()[1:-1] + b',' + json.dumps(claims).encode()[1:])}.", "401 token_wrongAlgorithm"),
        }
        for name, (bad, wanted) in attacks.items():
            expect(f"attack: {name}", server.upload(bad), wanted)
        # The issuer rotates: no token is ever refused, at worst it waits.
        next_key = ec.generate_private_key(ec.SECP256R1())
        issuer.text = json.dumps({"keys": known + [jwk("EC", next_key, "next")]}).encode()
        answer, waits = until_known(server, jwt.encode(claims, next_key, algorithm="ES256", headers={"kid": "next"}))
        expect("rotation: the token of the new key", answer, 200)
        print(f"     after {waits} answers 503")
        issuer.status = 500
        asked = issuer.asked
        for number in range(300):
            server.upload(token("ES256", None, kid=f"invented-{number}"))
        expect("300 invented names: questions to the issuer", issuer.asked - asked, lambda count: count <= 1)
        expect("the issuer is down: the old keys are in use", server.upload(token("ES256")), 200)


for provider in PROVIDERS:
    check_provider(provider)
check_foreign()
print(f"{failures} answers are not as expected")
sys.exit(failures != 0)
