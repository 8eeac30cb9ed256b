from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherloc.repository import classify, header_language


def words(text: str) -> list[str]:
    return text.split()


PARTITIONS = {"code", "test", "config", "template", "docs", "other"}
LANGUAGES = {"", *words("python javascript typescript tsx java go rust c cpp ruby php kotlin csharp")}
EXCLUDED = {"", "vendored", "generated", "minified", "binary", "lock", "data"}


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.py", "python"),
        ("a.pyi", "python"),
        ("a.js", "javascript"),
        ("a.jsx", "javascript"),
        ("a.mjs", "javascript"),
        ("a.cjs", "javascript"),
        ("a.ts", "typescript"),
        ("a.d.ts", "typescript"),
        ("a.mts", "typescript"),
        ("a.tsx", "tsx"),
        ("A.java", "java"),
        ("a.go", "go"),
        ("a.rs", "rust"),
        ("a.c", "c"),
        ("a.h", "c"),
        ("a.cc", "cpp"),
        ("a.hpp", "cpp"),
        ("a.cxx", "cpp"),
        ("a.rb", "ruby"),
        ("a.gemspec", "ruby"),
        ("a.php", "php"),
        ("A.kt", "kotlin"),
        ("build.gradle.kts", "kotlin"),
        ("A.cs", "csharp"),
        ("A.PY", "python"),
        ("a.scala", ""),
        ("a.swift", ""),
        ("a.vue", ""),
        ("a.svelte", ""),
        ("a.pyx", ""),
        ("a.sh", ""),
        ("a.proto", ""),
        ("a.sql", ""),
        ("a.g4", ""),
    ],
)
def test_code(name, language):
    found = classify(f"src/{name}")
    assert (found.partition, found.language, found.excluded) == ("code", language, "")


@pytest.mark.parametrize(
    ("path", "partition"),
    [
        ("pyproject.toml", "config"),
        ("setup.cfg", "config"),
        (".github/workflows/ci.yml", "config"),
        ("Makefile", "config"),
        ("CMakeLists.txt", "config"),
        ("Dockerfile", "config"),
        ("Dockerfile.dev", "config"),
        (".env.example", "config"),
        ("requirements-dev.txt", "config"),
        ("requirements/base.txt", "docs"),
        ("go.mod", "config"),
        ("pom.xml", "config"),
        ("build.gradle", "config"),
        (".gitignore", "config"),
        ("app/templates/a.html", "template"),
        ("a.jinja", "template"),
        ("a.tpl", "template"),
        ("a.css", "template"),
        ("config.h.in", "template"),
        ("README.md", "docs"),
        ("README", "docs"),
        ("docs/index.rst", "docs"),
        ("LICENSE", "docs"),
        ("a.adoc", "docs"),
        ("notes.txt", "docs"),
        ("py.typed", "other"),
        ("noextension", "other"),
        ("LICENSE-MIT", "docs"),
        ("pylintrc", "config"),
        ("a.pyx.tp", "template"),
    ],
)
def test_other_partitions(path, partition):
    found = classify(path)
    assert (found.partition, found.language, found.excluded) == (partition, "", "")


TESTS = words(
    """
    tests/test_a.py tests/helpers.py pkg/tests/test_a.py pkg/tests/__init__.py test_a.py pkg/a_test.py
    conftest.py src/conftest.py test/a.py testing/python/collect.py test/units/module.py pkg/test/test_a.py
    tests/data/a.json src/test/java/org/A.java src/test/kotlin/A.kt src/test/resources/a.xml
    src/commonTest/kotlin/A.kt core/commonTest/src/A.kt app/src/androidTest/java/A.java
    src/integrationTest/java/A.java src/testFixtures/java/A.java common/test/A.kt src/ATest.java src/ATests.java
    src/ServiceIT.java lib/ATest.kt src/test/scala/A.scala a_test.go pkg/a_test.go pkg/testdata/a.go
    src/__tests__/a.js src/__mocks__/a.js src/a.test.ts src/a.spec.js src/a.test.tsx src/a.cy.ts e2e/a.ts
    test/a.js packages/a/test/b.js spec/a.js packages/a/spec/b.ts fixtures/a.js packages/a/tests/b.ts
    spec/a_spec.rb core/spec/support/a.rb test/a_test.rb gems/a_spec.rb tests/ATest.php
    src/Component/Tests/A.php src/a_test.cc src/a_unittest.cpp tests/a.cpp test/a.c src/test_a.c tests/a.rs
    src/tests/mod.rs src/tests.rs My.Project.Tests/A.cs src/ATests.cs Tests/A.swift tests/README.md
    crates/linter/resources/test/fixtures/a.py src/test/webapp/index.jsp src/test/unit/a.js
    """
)


@pytest.mark.parametrize("path", TESTS)
def test_tests(path):
    assert classify(path).partition == "test"


# Each is production code of a project that is about testing, or only sounds like it.
NO_TESTS = words(
    """
    django/test/client.py django/test/testcases.py sklearn/utils/testing.py numpy/testing/_private/utils.py
    src/_pytest/python.py src/_pytest/fixtures.py pylint/testutils/lint_module_test_helper.py
    lib/matplotlib/testing/compare.py sympy/testing/runtests.py sympy/utilities/randtest.py xarray/testing.py
    Lib/unittest/case.py latest/a.py contest.py attest.py src/protest.py lib/ansible/plugins/test/core.py
    src/jinja2/tests.py werkzeug/test.py scrapy/utils/test.py torch/testing/_comparison.py
    src/catch2/catch_test_case_info.cpp src/catch2/internal/catch_run_context.cpp
    googletest/include/gtest/gtest.h packages/core/testing/src/test_bed.ts packages/x/src/testing/index.ts
    code/core/src/test/index.ts packages/jest-runtime/src/index.ts src/main/java/org/junit/Test.java
    spring-test/src/main/java/org/springframework/test/context/TestContext.java
    src/main/java/com/acme/tests/Runner.java kotlinx-coroutines-test/common/src/TestScope.kt
    src/commonMain/kotlin/test/A.kt testing/src/main/java/io/grpc/testing/GrpcCleanupRule.java
    src/cargo/ops/cargo_test.rs src/bin/cargo/commands/test.rs library/test/src/lib.rs lib/minitest/test.rb
    lib/rails/test_help.rb lib/capybara/spec/session.rb actionpack/lib/action_dispatch/testing/integration.rb
    src/TwigTest.php src/Node/Expression/Test/DefinedTest.php src/Illuminate/Testing/TestResponse.php
    src/HitTest.cpp pkg/spec/schema.go kube/pkg/validation/spec/swagger.go internal/testutils/pipe.go
    httptest/server.go src/testkit/a.scala examples/plot_a.py doc/conf.py setup.py tools/gen.py benchmarks/a.py
    sandbox/src/main/java/A.kt pkg/fixtures/a.py src/speed_test.rs
    """
)


@pytest.mark.parametrize("path", NO_TESTS)
def test_no_tests(path):
    found = classify(path)
    assert (found.partition, found.excluded) == ("code", "")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("node_modules/a/index.js", "vendored"),
        ("vendor/github.com/a/b.go", "vendored"),
        ("pkg/_vendor/six.py", "vendored"),
        ("third_party/a.cc", "vendored"),
        ("astropy/extern/ply/lex.py", "vendored"),
        ("sklearn/externals/joblib.py", "vendored"),
        ("django/contrib/admin/static/admin/js/vendor/select2/select2.js", "vendored"),
        ("lib/site-packages/a.py", "vendored"),
        ("sphinx/themes/basic/static/jquery-3.6.0.js", "vendored"),
        ("app/assets/vendor/a.js", "vendored"),
        ("src/a.min.js", "minified"),
        ("static/a.min.css", "minified"),
        ("js/app.bundle.js", "minified"),
        ("dist/axios.js", "generated"),
        ("packages/a/dist/index.cjs", "generated"),
        ("lib/a.g.dart", "generated"),
        ("package-lock.json", "lock"),
        ("Cargo.lock", "lock"),
        ("go.sum", "lock"),
        ("uv.lock", "lock"),
        ("any.lock", "lock"),
        ("locale/de/django.po", "data"),
        ("a.csv", "data"),
        ("a.svg", "data"),
        ("a.ipynb", "data"),
        ("js/a.js.map", "data"),
        ("a.png", "binary"),
        ("a.jar", "binary"),
        ("a.so", "binary"),
        ("a.woff2", "binary"),
    ],
)
def test_excluded(path, reason):
    assert classify(path).excluded == reason


NOT_EXCLUDED = words(
    """
    django/contrib/admin/static/admin/js/jquery.init.js django/contrib/admin/static/admin/js/core.js
    src/vendor.py src/main/java/org/springframework/orm/jpa/vendor/HibernateJpaVendorAdapter.java
    app/models/vendor/order.rb src/modules/vendor/vendor.service.ts sympy/external/importtools.py
    src/dist/index.js setuptools/dist.py src/jquery.js build/internal/cmd/generate/main.go
    src/generators/dynamic-theme.ts docker/data/logstash/env2yaml.go contrib/pzstd/Pzstd.cpp
    sphinx/search/non-minified-js/base.js index.d.ts lib/admin.js src/log/a.py data/a.py src/minify.js
    requests/packages/a.py
    """
)


@pytest.mark.parametrize("path", NOT_EXCLUDED)
def test_not_excluded(path):
    found = classify(path)
    assert (found.partition, found.excluded) == ("code", "")


@pytest.mark.parametrize(
    "path",
    [
        "rpc/a.pb.go",
        "rpc/a_grpc.pb.go",
        "rpc/a.pb.gw.go",
        "a_pb2.py",
        "a_pb2_grpc.py",
        "a_pb2.pyi",
        "src/a.pb.cc",
        "src/a_pb.d.ts",
        "sympy/assumptions/ask_generated.py",
        "src/a.generated.ts",
        "zz_generated.deepcopy.go",
        "A.Designer.cs",
        "A.g.cs",
        "astropy/units/format/cds_parsetab.py",
        "parsetab.py",
        "lextab.py",
        "cmd/wire_gen.go",
    ],
)
def test_generated_code_is_marked_and_kept(path):
    found = classify(path)
    assert (found.partition, found.excluded, found.generated) == ("code", "", True)
    assert found.language


def test_hand_written_code_is_not_marked():
    for path in ("src/generate.py", "codegen/ast.py", "generated.py", "src/parser.py", "pb.go", "src/designer.py"):
        assert not classify(path).generated


def test_headers_are_what_most_sources_are():
    assert header_language(["include/a.h", "src/a.cc", "src/b.cc", "src/c.c"]) == "cpp"
    assert header_language(["lib/a.h", "lib/a.c", "lib/b.c", "contrib/c.cpp"]) == "c"
    assert header_language(["lib/a.h", "lib/a.c", "third_party/x.cc", "third_party/y.cc"]) == "c"
    assert header_language([]) == "c"


SEGMENTS = st.one_of(
    st.sampled_from(
        words("src main test tests lib vendor static dist packages spec fixtures testing commonTest java a.py .")
    ),
    st.text(alphabet=st.characters(exclude_characters="/"), min_size=1, max_size=12),
)
NAMES = st.one_of(
    SEGMENTS,
    st.builds(
        "{}.{}".format,
        SEGMENTS,
        st.sampled_from(["py", "go", "js", "h", "lock", "min.js", "pb.go", "kt", "TXT", "\u0131", "\ud800", ""]),
    ),
)


@given(st.lists(SEGMENTS, max_size=6), NAMES)
def test_any_path_has_a_class(folders, name):
    path = "/".join([*folders, name])
    found = classify(path)
    assert found.partition in PARTITIONS
    assert found.language in LANGUAGES
    assert found.excluded in EXCLUDED
    assert classify(path) == found
    assert header_language([path]) in ("c", "cpp")


@given(st.lists(SEGMENTS.filter(lambda part: part not in (".", "\0")), min_size=1, max_size=5))
def test_pure_paths_and_their_text_agree(parts):
    path = PurePosixPath(*[part.replace("/", "") for part in parts])
    assert classify(str(path)) == classify(path.as_posix())


@given(st.text())
def test_any_text_has_a_class(path):
    assert classify(path).partition in PARTITIONS
