"""Tables of names: what extensions, file names and folder names say of a file."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {word: value for value, words in rows.items() for word in words.split()}


LANGUAGES = _table(
    {
        "python": "py pyi pyw",
        "javascript": "js jsx mjs cjs es6",
        "typescript": "ts mts cts",
        "tsx": "tsx",
        "java": "java",
        "go": "go",
        "rust": "rs",
        "c": "c h",
        "cpp": "cc cpp cxx c++ hpp hh hxx h++ ipp inl tpp txx cu cuh ino",
        "ruby": "rb rake gemspec ru",
        "php": "php php5 php7 phtml",
        "kotlin": "kt kts",
        "csharp": "cs csx",
    }
)
"""Extension -> language, where there is a grammar."""

CODE = words(
    """pyx pxd pxi scala sc swift vue svelte astro dart ex exs erl hrl hs lhs ml mli clj cljs cljc edn fs fsi fsx
    vb groovy lua pl pm t r jl nim zig v sv vhd vhdl asm s f f90 f95 f03 for pas d cr tcl lisp lsp el scm rkt
    vim proto thrift graphql gql sql sol sh bash zsh fish ksh ps1 psm1 bat cmd awk m mm metal coffee elm purs re
    res move cairo gd glsl hlsl wgsl vert frag comp tf hcl g4 lark y yy l ll peg pegjs treetop ebnf bnf pest
    lalrpop cue rego jsonnet libsonnet dhall bzl star nix cl pyt"""
)
"""Extensions of code without a grammar."""

TEMPLATES = words(
    """html htm xhtml jinja jinja2 j2 tpl tmpl mustache hbs handlebars ejs erb haml slim liquid twig njk pug jade
    mako ftl vm jsp jspx cshtml razor aspx gotmpl gohtml css scss sass less styl xsl xslt in tp template py-tpl
    rst_t py_t xaml"""
)

CONFIG = words(
    """toml cfg ini yaml yml json json5 jsonc properties gradle conf config env xml plist cmake mk mak bazel gn gni
    csproj fsproj vbproj vcxproj sln props targets editorconfig gitignore gitattributes gitmodules dockerignore
    npmrc nvmrc babelrc eslintrc prettierrc flake8 pylintrc coveragerc rspec example webmanifest service desktop
    spec ninja am ac m4 rc cnf options vcproj podspec cabal opam xcconfig"""
)
CONFIG_NAMES = words(
    """makefile gnumakefile dockerfile containerfile vagrantfile jenkinsfile procfile gemfile podfile pipfile
    brewfile cmakelists.txt go.mod go.work manifest.in build workspace meson.build meson_options.txt codeowners
    justfile rakefile sconstruct sconscript configure tiltfile caddyfile fastfile appfile"""
)

DOCS = words("""md markdown mdown mdx rst txt adoc asciidoc asc textile org tex texi rdoc pod 1 3 5 7 8""")
DOCS_NAMES = words(
    """readme changelog changes news history license licence copying copyright notice authors contributors
    contributing maintainers thanks todo install security citation"""
)

DATA = words(
    """po pot mo csv tsv svg ipynb jsonl ndjson parquet arrow feather npy npz pkl pickle h5 hdf5 fits nc mat dat
    log snap geojson kml gpx shp dbf prj map xls xlsx ods sqlite sqlite3 db mdb afm tfm eps ps dot drawio puml
    pem crt key patch diff xlf xliff resx hex srt vtt bib cast har out api pbxproj storyboard xib strings"""
)
BINARY = words(
    """png jpg jpeg gif ico icns bmp tif tiff webp avif heic psd woff woff2 ttf otf eot pfb pdf doc docx ppt pptx
    odt zip gz tgz bz2 xz zst lz4 7z rar tar jar war ear aar class pyc pyo so dylib dll exe lib a o obj wasm bin
    dex apk deb rpm dmg iso mp3 mp4 m4a ogg oga ogv wav flac avi mov mkv webm whl egg keystore jks p12 pfx nupkg
    node"""
)

LOCKS = words(
    """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock cargo.lock
    cargo-bazel-lock.json poetry.lock pipfile.lock pdm.lock uv.lock conda-lock.yml pixi.lock composer.lock
    gemfile.lock go.sum go.work.sum flake.lock mix.lock pubspec.lock podfile.lock package.resolved
    cartfile.resolved gradle.lockfile buildscript-gradle.lockfile packages.lock.json paket.lock rebar.lock
    module.bazel.lock .terraform.lock.hcl conan.lock gems.locked stack.yaml.lock"""
)

TEST_FOLDERS = words(
    """tests Tests __tests__ __test__ __mocks__ __fixtures__ __snapshots__ testdata testData test_data test-data
    TestData test_fixtures test-fixtures testfixtures unittests unit_tests unit-tests UnitTests
    integration_tests integration-tests IntegrationTests functional_tests functional-tests e2e e2e_tests
    e2e-tests cypress test_resources test-resources regression_tests regression-tests integration-test
    functional-test unit-test"""
)
"""Folders that hold tests wherever they stand."""

TEST_SUBFOLDERS = words("fixtures fixture data resources unit units integration functional e2e cases snapshots")
"""Folders that, right below one called test, show that it holds tests."""

VENDORED_FOLDERS = words(
    """node_modules bower_components jspm_packages site-packages dist-packages _vendor _vendored vendored
    third_party third-party thirdparty ThirdParty 3rdparty 3rd_party 3rd-party extern externals _extern .yarn
    Godeps"""
)
ASSET_FOLDERS = words("static _static assets public www wwwroot js javascripts scripts css")
DOMAIN_FOLDERS = words(
    """app apps modules models model controllers views domain domains entities entity services service components
    features feature handlers routes api repositories routers schemas pages store stores main"""
)
"""Folders below which a ``vendor`` is more likely a merchant than somebody else's code."""

_LICENCE = re.compile(r"(?:un)?licen[cs]e|copying|readme")
_REQUIREMENTS = re.compile(r".*(?:requirements|constraints)[^/]*\.txt|dockerfile\..+|.+\.dockerfile|makefile\..+")


def kind_of(name: str) -> tuple[str, str]:
    """Partition and language of a file by its name alone, tests aside."""
    lower = name.lower()
    stem, dot, extension = lower.rpartition(".")
    if not dot:
        stem, extension = lower, ""
    if extension in LANGUAGES:
        return "code", LANGUAGES[extension]
    if lower in CONFIG_NAMES or lower in LOCKS or _REQUIREMENTS.fullmatch(lower):
        return "config", ""
    if extension in CODE:
        return "code", ""
    if extension in TEMPLATES:
        return "template", ""
    if extension in CONFIG or (dot and not stem) or (not dot and stem.endswith("rc")):
        return "config", ""
    if extension in DOCS or stem in DOCS_NAMES or _LICENCE.match(lower):
        return "docs", ""
    return "other", ""
