"""Planted keys are found, ordinary code is left alone. The keys are made up, and put together here so that no scanner
of this repository takes them for real ones."""

from __future__ import annotations

import base64
import random
import re
import string
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherloc.llm import is_secret_file, redact
from sherloc.llm.request import Request
from sherloc.llm.secrets import Redaction, without_secrets
from sherloc.llm.secrets.assignments import weak_passwords
from sherloc.protocols import Message, ToolCall

WORD = string.ascii_letters + string.digits


def random_text(length: int, alphabet: str = WORD, seed: int = 7) -> str:
    return "".join(random.Random(f"{seed}:{length}:{alphabet}").choices(alphabet, k=length))


PEM_BODY = "\n".join(random_text(64, WORD + "+/", seed) for seed in range(4))
JWT = f"eyJ{random_text(20)}.eyJ{random_text(40)}.{random_text(43)}"
PLANTED = {
    "aws_key": "AKIA" + random_text(16, string.ascii_uppercase + "234567"),
    "github_token": "ghp_" + random_text(36),
    "github_token 2": "github_pat_" + random_text(22) + "_" + random_text(59),
    "gitlab_token": "glpat-" + random_text(20),
    "anthropic_key": "sk-ant-api03-" + random_text(95, WORD + "-_"),
    "openai_key": "sk-proj-" + random_text(64, WORD + "-_"),
    "openai_key 2": "sk-" + random_text(48),
    "google_key": "AIza" + random_text(35),
    "google_token": "ya29." + random_text(60),
    "slack_token": "xoxb-" + random_text(12, string.digits) + "-" + random_text(24),
    "stripe_key": "sk_live_" + random_text(24),
    "npm_token": "npm_" + random_text(36),
    "pypi_token": "pypi-AgEIcHlwaS5vcmc" + random_text(120, WORD + "-_"),
    "hugging_face_token": "hf_" + random_text(34),
    "sendgrid_key": "SG." + random_text(22) + "." + random_text(43),
    "digitalocean_token": "dop_v1_" + random_text(64, "0123456789abcdef"),
    "telegram_token": random_text(9, "123456789") + ":AA" + random_text(33),
    "jwt": JWT,
}
PLACES = (
    "{}", "key = '{}'", 'X = "{}"  # mine', "KEY={}\n", "export A={};", '{{"k": "{}"}}', "curl -H 'x: {}'", "see {}.",
    "# {}", "a,{},b", "k: {}", "`{}`", "<k>{}</k>", "https://example.com/?k={}&x=1", "\tf({})", "你好{}",
)  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("place", PLACES)
def test_planted_keys_are_taken_out(name: str, place: str) -> None:
    text = f"line one\n{place.format(PLANTED[name])}\nline three\n"
    clean, found = redact(text)
    assert PLANTED[name] not in clean
    assert {r.line for r in found} == {2}
    assert clean.startswith("line one\n")
    assert clean.endswith("\nline three\n")
    assert clean.count("\n") == text.count("\n")
    # Where a name says "key", the rule for passwords may be quicker.
    assert {r.kind for r in found} <= {name.split()[0], "password"}


@pytest.mark.parametrize(
    ("line", "kind", "left"),
    [
        (
            "DB = 'postgres://admin:hunter2!x@db.local/app'", "url_password",
            "DB = 'postgres://admin:[redacted url_password]@db.local/app'",
        ),
        ("Authorization: Bearer a8Kd92mXq7Lp04Zs", "authorization", "Authorization: Bearer [redacted authorization]"),
        ("password = 'Tr0ub4dor&3'", "password", "password = '[redacted password]'"),
        ('"db_password": "x9$Lm2#qP"', "password", '"db_password": "[redacted password]"'),
        ("SECRET_KEY = b'a8Kd92mXq7Lp04Zs'", "password", "SECRET_KEY = b'[redacted password]'"),
        (
            "aws_secret_access_key=wJ4lrXUtn8FEMI7K2DENGbPxRfiCY1zKQ9mVa0sE", "password",
            "aws_secret_access_key=[redacted password]",
        ),
        ("  apiKey: 9f86d081884c7d659a2feaa0c55ad015", "password", "  apiKey: [redacted password]"),
        ("os.environ['API_TOKEN'] = 'a8Kd92mXq7Lp04Zs'", "password", "os.environ['API_TOKEN'] = '[redacted password]'"),
        ("login(password='Tr0ub4dor&3')", "password", "login(password='[redacted password]')"),
        ('$password = "x9$Lm2#qP";', "password", '$password = "[redacted password]";'),
        (r'body = "{\"token\": \"q8Zk2Lm9Xp4Rt7Vw1\"}"', "password", r'body = "{\"token\": \"[redacted password]\"}"'),
        (r"s = 'password=\'Tr0ub4dor&3\''", "password", r"s = 'password=\'[redacted password]\''"),
        (r'{\\\"pwd\\\": \\\"x9$Lm2#qP\\\"}', "password", r'{\\\"pwd\\\": \\\"[redacted password]\\\"}'),
        ("AccountKey=a8Kd92mXq7Lp04Zsa8Kd92mXq7Lp04Zs==;x", "password", "AccountKey=[redacted password];x"),
        (
            "https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/a8Kd92mXq7Lp04Zs", "slack_webhook",
            "https://hooks.slack.com/services/[redacted slack_webhook]",
        ),
    ],
)  # fmt: skip
def test_only_the_secret_part_goes(line: str, kind: str, left: str) -> None:
    clean, found = redact(line)
    assert (clean, [(r.line, r.kind) for r in found]) == (left, [(1, kind)])


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password(user)", "token = self.tokens[i2]", "def check(password: str, token: Token2) -> None:",
        "secret_key = settings.SECRET_KEY", "api_key=os.environ['OPENAI_API_KEY']", "PASSWORD_FIELD = 'password1'",
        "token = 'csrfmiddlewaretoken'", "url = 'http://user:password@example.com/'", "http://{user}:{password}@{host}",
        "git@github.com:owner/repo.git", "ssh://git@host:22/x", "at 10:30 http://x/y and a:b@c",
        "http://localhost:8000/@x",
        "if key == '-----BEGIN RSA PRIVATE KEY-----':", "sk-estimator-doc-link-hover", "task-1234567890-abcdefghij-klm",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15",
        "token_type = 'AWS4-HMAC-SHA256'", "key: Optional[Dict[str, int]]", "primary_key=True", "keys = ['a1', 'b2']",
        "password = 'changeme123!'", "PASSWORD=${DB_PASSWORD_2}", "token = \"your-token-Goes-h3re\"",
        "AKIAIOSFODNN7EXAMPLE",
        "integrity = 'sha512-oR5sHjhJ0t'", "Basic authentication is on", "Bearer tokens are opaque", "xoxb-",
        "eyJ.eyJ.x",
        "tokenizer = 'cl100k_base'", "PASSWORD_HASHERS = ['django.contrib.auth.hashers.PBKDF2PasswordHasher']",
        "secret = 'projects/my-project/secrets/db-pass/versions/latest'", "hf_hub_download(repo_id)",
        "npm_config_registry",
        "token_path = 'a8Kd92mXq7Lp04Zs'", "key=lambda x: (x[0], -x[1])", "error: token 0x7ffdf3c2 is unknown",
    ],
)  # fmt: skip
def test_ordinary_code_is_left_alone(line: str) -> None:
    assert redact(line) == (line, [])


WEAK = (
    "DB_PASSWORD={}", "export DB_PASSWORD={}", "set DB_PASSWORD={}", 'DB_PASSWORD="{}"', "+DB_PASSWORD={}",
    "  12| DB_PASSWORD={}", "# DB_PASSWORD={}  # mine", "- MYSQL_ROOT_PASSWORD={}", "PASSWORD = '{}'",
    "password: {}", "  12|   password: {}", '  password: "{}"', '"password": "{}",', "Password: {}", "dbPassword: {}",
    "password = {}", "[db]\nuser = me\npassword = {}\nport = 1", "spring.datasource.password={}", "db-pass={}",
    "ENV DB_PASSWORD={}", "ENV DB_PASSWORD {}", "ARG A=b DB_PASSWORD={} C=d", "docker run -e DB_PASSWORD={} image",
    "mysql --password={} -u root", "mysql --password {} -u root", "tool --db-pass {}", '"Server=x;User=y;Password={};"',
    'dsn = "host=x user=y password={} dbname=z"', "machine x login y password {}", "<password>{}</password>",
    "- name: DB_PASSWORD\n  value: {}", "- name: DB_PASSWORD\n  13|   value: '{}'",
)  # fmt: skip


@pytest.mark.parametrize("line", WEAK)
@pytest.mark.parametrize("password", ["hunter2", "letmein99", "p4ss-w0rd", "s3cr3t!"])
def test_weak_passwords_of_configuration_are_taken_out(line: str, password: str) -> None:
    for text in (line, f"before\n\n{line}\n\nafter\n"):
        clean, found = redact(text.format(password))
        assert clean == text.format("[redacted password]")
        assert [r.kind for r in found] == ["password"]
        assert redact(clean) == (clean, [])


@pytest.mark.parametrize(
    "line",
    ["SECRET_KEY=mysecret", "export API_TOKEN=abcdefgh", "DB_PASSWORD=postgres", "POSTGRES_PASSWORD=1234",
     "client_secret: a1b2c3d4"],
)  # fmt: skip
def test_words_will_do_where_the_name_is_one_of_an_environment(line: str) -> None:
    name, sign, value = re.split("(=|: )", line)
    assert redact(line) == (f"{name}{sign}[redacted password]", [Redaction(1, "password")])


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password()", 'SECRET_KEY = os.environ["SECRET_KEY"]', "password: str",
        "password: str = 'x'",
        "password: Optional[str]", "password=password,", "password = password2", "token: Token2", "password: string;",
        "PASSWORD=$DB_PASSWORD", "PASSWORD=${X}", "PASSWORD=$(cat x)", 'PASSWORD=os.getenv("X")',
        "DB_PASSWORD=changeme",
        "DB_PASSWORD=<your password>", "DB_PASSWORD=", "DB_PASSWORD=DB_PASS_2", 'PASSWORD_FIELD = "password1"',
        "token = tok1", "primary_key = True", "--password PASSWORD", "--token=TOKEN",
        "secret_key = settings.SECRET_KEY",
        "password: the user's password", "password: required", "TOKEN=1", "api_key = config.api_key2", "token: int64",
        "password: !vault |", "password: SecretStr", "key = hash1", "password: {{ db_password2 }}", "pwd: bytes32",
        "if password == given2:", "password += salt2", "connect(host=h1, password=p1)", "connect(user=u1, password=pw1",
        "password := given2", "return password2", "lambda password: pw2", "f(password=pw_2)",
    ],
)  # fmt: skip
def test_code_that_looks_like_it_is_left_alone(line: str) -> None:
    function = f"def check(password2, tok1, given2, pw1):\n    if given2:\n        {line}\n    return 1\n"
    for text in (line, function, f"class A:\n    name: str\n    {line}\n"):
        assert redact(text) == (text, [])


@pytest.mark.parametrize(
    "piece", ["password: a\n", "password=", "--p ", "<password>", "- name: ", "login x password ", " " * 60 + "pwd"]
)
def test_weak_passwords_are_looked_for_in_linear_time(piece: str) -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        list(weak_passwords(piece * count))
        return time.process_time() - started

    once = min(seconds(4_000) for _ in range(3))
    assert min(seconds(16_000) for _ in range(3)) < 10 * once + 0.05


@given(st.text(alphabet="aB1 =:-_.\n\"'\t#;<>|,password", max_size=120))
@settings(max_examples=200, deadline=None)
def test_whatever_looks_like_a_setting_keeps_its_lines(text: str) -> None:
    clean, _ = redact(text)
    assert clean.count("\n") == text.count("\n")
    assert redact(clean)[0] == clean


@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_private_keys_keep_their_lines(kind: str) -> None:
    text = f"a\n-----BEGIN {kind}-----\nProc-Type: 4,ENCRYPTED\n\n{PEM_BODY}\n-----END {kind}-----\nb\n"
    clean, found = redact(text)
    assert clean == f"a\n-----BEGIN {kind}-----[redacted private_key]" + "\n" * 7 + f"-----END {kind}-----\nb\n"
    assert [(r.line, r.kind) for r in found] == [(2, "private_key")]


def test_private_keys_in_code_on_one_line_and_cut_at_either_end() -> None:
    body = PEM_BODY.replace("\n", "\\n")
    clean, found = redact(f'KEY = "-----BEGIN PRIVATE KEY-----\\n{body}\\n-----END PRIVATE KEY-----"\nx = 1')
    assert clean == 'KEY = "-----BEGIN PRIVATE KEY-----[redacted private_key]-----END PRIVATE KEY-----"\nx = 1'
    assert len(found) == 1
    clean, _ = redact(f"-----BEGIN PRIVATE KEY-----\n{PEM_BODY}\nand then prose goes on\n")
    assert clean == "-----BEGIN PRIVATE KEY-----[redacted private_key]\n\n\n\n\nand then prose goes on\n"
    clean, _ = redact(f"prose before it\n{PEM_BODY}\n-----END PRIVATE KEY-----\nx")
    assert clean == "prose before it\n[redacted private_key]\n\n\n\n-----END PRIVATE KEY-----\nx"


def test_public_keys_and_certificates_stay() -> None:
    for kind in ("CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY"):
        text = f"-----BEGIN {kind}-----\n{PEM_BODY}\n-----END {kind}-----"
        assert redact(text) == (text, [])


@given(st.text(), st.sampled_from(sorted(PLANTED)), st.text())
def test_around_any_text(before: str, name: str, after: str) -> None:
    text = f"{before} {PLANTED[name]} {after}"
    clean, found = redact(text)
    assert PLANTED[name] not in clean
    assert clean.count("\n") == text.count("\n")
    assert found
    assert redact(clean) == (clean, [])


@given(st.text(alphabet="-BEGIN PRIVATEKY\nabc012=/'\":@ password sk_token"))
@settings(max_examples=200)
def test_any_text_keeps_its_lines_and_is_stable(text: str) -> None:
    clean, _ = redact(text)
    assert clean.count("\n") == text.count("\n")
    assert redact(clean)[0] == clean


HOSTILE = (
    "a://" , "a://b:", "password", "password = '", "sk-", "eyJa", "-----BEGIN PRIVATE KEY-----\n", "Bearer ", "x" * 7,
    "-----END PRIVATE KEY-----", "A" * 50 + "\n", "token=" + "a1" * 8, "://" , "_token_key_secret",
    "password" + " " * 8,
    "-----BEGIN PRIVATE KEY-----" + "A" * 50, "eyJaaaaaaaaaa.", "\n", "1:AA", "' + '", '" "', "\\\n", "'ghp_' 'a' ",
    "authorization: ", "password: |\n", "LS0tLS1CRUdJTiBQUklWQVRF", "LS0tLS1CRUdJTiBQUklWQVRF" + "A" * 60 + " ",
    "?sig=",
    "name='password' value=", "a://b:c@", "  1| ", "Version: \n",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_is_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        started = time.process_time()
        redact(text)
        return time.process_time() - started

    small, large = (min(seconds(size) for _ in range(3)) for size in (25_000, 100_000))
    assert large < 8 * max(small, 0.005)


def test_a_whole_prompt() -> None:
    token = PLANTED["github_token"]
    request = Request(
        (
            Message("system", "s"),
            Message("user", f"a\n{token}\n{token} {PLANTED['jwt']}"),
            Message("assistant", "", tool_calls=(ToolCall("1", "x", f'{{"a": "{token}"}}'),)),
        )
    )
    clean, diagnostics = without_secrets(request)
    assert clean.messages[1].content == "a\n[redacted github_token]\n[redacted github_token] [redacted jwt]"
    assert clean.messages[2].tool_calls == (ToolCall("1", "x", '{"a": "[redacted github_token]"}'),)
    assert [(d.code, d.count, d.message) for d in diagnostics] == [
        (
            "redacted", 3,
            "A secret was kept from the model: github_token (message 2, line 2; message 2, line 3; message 3, line 1).",
        ),
        ("redacted", 1, "A secret was kept from the model: jwt (message 2, line 3)."),
    ]  # fmt: skip
    harmless = Request((Message("user", "nothing"),))
    assert without_secrets(harmless) == (harmless, ())


@pytest.mark.parametrize(
    "path",
    [
        ".env", "app/.env", ".env.production", "prod.env", ".ENV", "a\\.env", "id_rsa", "home/.ssh/id_ed25519",
        "server.pem",
        "tls/Server.KEY", "a.p12", "a.pfx", "a.jks", ".npmrc", ".pypirc", ".netrc", "kubeconfig", ".kube/config",
        "x.tfstate",
        "x.tfstate.backup", "prod.tfvars", "credentials.json", ".aws/credentials", "client_secret_123.json",
        "service-account-key.json", "my-service-account.json", "secrets.yaml", "config/master.key", ".git-credentials",
        ".htpasswd", ".docker/config.json", "auth.json", ".ssh/anything", "a.kdbx", ".envrc", "vault.gpg",
        ".bash_history",
    ],
)  # fmt: skip
def test_secret_files(path: str) -> None:
    assert is_secret_file(path)
    assert is_secret_file(f"/somewhere/{path}")


@pytest.mark.parametrize(
    "path",
    [
        ".env.example", ".env.sample", ".env.template", "id_rsa.pub", "secrets.py", "sherloc/llm/secrets/files.py",
        "credentials.py", "environment.py", "env.py", ".environment", "keys.py", "config.json", "package.json",
        "a.key.py",
        "docs/secrets.md", "kube/config.go", ".ssh/config", ".ssh/known_hosts", "", "/", "auth.py", "token.rs",
        "envs/a.yaml",
        "credentials.json.example", "private.ts", "README.md", "key", "password.txt.py",
    ],
)  # fmt: skip
def test_other_files(path: str) -> None:
    assert not is_secret_file(path)


def test_this_project_holds_no_secret() -> None:
    for path in sorted((Path(__file__).parents[2] / "sherloc").rglob("*.py")):
        assert redact(path.read_text(encoding="utf-8"))[1] == [], path


AUTHORIZATIONS = (
    "Authorization: {}", "Authorization: token {}", "Authorization: Bearer {}",
    "curl -H 'authorization: Token {}' http://x",
    "headers = {{'Authorization': '{}'}}", "headers = {{'Authorization': 'Bearer ' + '{}'}}",
    '{{"Authorization": "token {}"}}',
    "  12| +x-api-key: {}", "curl -H 'x-api-key: {}' http://x", 'curl -H "X-Auth-Token: {}"', "PRIVATE-TOKEN: {}",
)  # fmt: skip


@pytest.mark.parametrize("line", AUTHORIZATIONS)
@pytest.mark.parametrize("key", [random_text(32, "0123456789abcdef"), random_text(40), random_text(24, WORD + "-_")])
def test_headers_with_keys_of_no_known_shape(line: str, key: str) -> None:
    clean, found = redact(line.format(key))
    assert key not in clean and len(found) == 1
    assert redact(clean) == (clean, [])


def test_addresses_with_keys() -> None:
    for text, left in (
        (f"https://x.blob.core.windows.net/c?sv=1&sig={random_text(43)}%3D", "https://x.blob.core.windows.net/c?sv=1&sig="),
        (f"https://discord.com/api/webhooks/123456789012345678/{random_text(68)}",
         "https://discord.com/api/webhooks/123456789012345678/"),
        ("postgres://me:p@ssw0rd99@db/app", "postgres://me:"),
    ):  # fmt: skip
        clean, found = redact(text)
        assert clean == f"{left}[redacted {found[0].kind}]{'@db/app' if text.startswith('p') else ''}"


SEAMS = (
    '" "', '" + "', "' + '", "' . '", "' '", '"\n    "', '" +\n    "', '"\n  + "', '"\\\n"', '"\r\n"', '" f"', "\\\n",
    '"\n  13|     "', '" +\n+    "', "\\\n  13| ",
)  # fmt: skip


@pytest.mark.parametrize("seam", SEAMS)
@pytest.mark.parametrize("name", ["github_token", "aws_key", "openai_key 2", "google_key", "jwt", "stripe_key"])
def test_keys_in_pieces(name: str, seam: str) -> None:
    key = PLANTED[name]
    quote = "'" if "'" in seam else '"'
    for cuts in ([8], [4, 10], [12, 13, 14]):
        pieces = [key[start:end] for start, end in zip([0, *cuts], [*cuts, None], strict=True)]
        text = f"a = 1\nx = f({quote}{seam.join(pieces)}{quote}) + 'b' 'c'\n{quote}end{quote}\n"
        clean, found = redact(text)
        assert key[-8:] not in clean and clean.startswith("a = 1\nx = f(")
        assert clean.count("\n") == text.count("\n") and clean.endswith(f"+ 'b' 'c'\n{quote}end{quote}\n")
        assert [(r.line, r.kind) for r in found] == [(2, name.split()[0])]
        assert redact(clean) == (clean, [])


@pytest.mark.parametrize(
    "text",
    ["x = 'a' + 'b'", "f('password' 'x')", "names = ['sk-', 'abc', 'sk-' + name]", "s = 'ghp_' + token + 'x'",
     "'akia' 'b' \"c\" \"d\"\n'e'\n\\\n", "token = 'a' \\\n  'b'"],
)  # fmt: skip
def test_other_texts_in_pieces_are_left_alone(text: str) -> None:
    assert redact(text) == (text, [])


@pytest.mark.parametrize(
    "frame", ["{}", "  {}", "+{}", "# {}", '    "{}\\n"', "    '{}',", "  12| {}", "  12| +  {}", "{}\r"]
)
@pytest.mark.parametrize("cut", ["whole", "end", "begin"])
@pytest.mark.parametrize(
    "header", [(), ("Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,AB12"), ("Version: GnuPG v2",)]
)
def test_private_keys_as_prompts_show_them(frame: str, cut: str, header: tuple[str, ...]) -> None:
    body = PEM_BODY.split("\n")
    lines = [
        "-----BEGIN RSA PRIVATE KEY-----",
        *header,
        *([""] if header else []),
        *body,
        "-----END RSA PRIVATE KEY-----",
    ]
    lines = lines[:-1] if cut == "end" else lines[1:] if cut == "begin" else lines
    text = "\n".join(["before it", "", *(frame.format(line) for line in lines), "and then prose goes on", ""])
    clean, found = redact(text)
    assert [line for line in body if line in clean] == []
    assert [r.kind for r in found] == ["private_key"]
    assert clean.startswith("before it\n") and clean.endswith("\nand then prose goes on\n")
    assert clean.count("\n") == text.count("\n")


def test_private_keys_in_base64() -> None:
    for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "):
        key = base64.b64encode(f"-----BEGIN {kind}PRIVATE KEY-----\n{PEM_BODY}\n".encode()).decode()
        assert redact(f"client-key-data: {key}\nx: 1") == (
            "client-key-data: [redacted private_key]\nx: 1", [Redaction(1, "private_key")]
        )  # fmt: skip
    public = base64.b64encode(f"-----BEGIN CERTIFICATE-----\n{PEM_BODY}\n".encode()).decode()
    assert redact(f"client-certificate-data: {public}") == (f"client-certificate-data: {public}", [])


@pytest.mark.parametrize(
    "text",
    ["password: |\n  {}\n", "  db_password: >-\n    {}\nx: 1\n", "  12| password: |-\n  13|   {}\n",
     '<add key="DbPassword" value="{}" />', "<property name='db.password' value='{}'/>"],
)  # fmt: skip
def test_values_that_stand_apart_from_their_names(text: str) -> None:
    for password in ("hunter2!", "letmein99", "Tr0ub4dor&3"):
        assert redact(text.format(password))[0] == text.format("[redacted password]")
    for other in ("required", "{{ db_pass2 }}", "${DB_PASS}", "secret"):
        assert redact(text.format(other)) == (text.format(other), [])
