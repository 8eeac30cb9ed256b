from __future__ import annotations

import math

import numpy as np
import pytest

from sherloc.indexer.assemble import Source, assemble
from sherloc.indexer.extract import Extractor
from sherloc.indexer.segment import Segment
from sherloc.indexer.stored_record import StoredRecord
from sherloc.retriever.lexical import Bm25Settings, LexicalScores
from sherloc.retriever.naming import files_called, files_in_folders_called, name_coverage
from sherloc.retriever.weights import FieldWeights

FLAT = FieldWeights(code=1, doc=1, string=1, name=0, path=0)


def stored(text: str) -> StoredRecord:
    return StoredRecord.decode(Extractor(120).extract("python", "code", text.encode()).encode())


def segment(files: dict[str, str]) -> Segment:
    return Segment(
        *assemble(
            Source(
                path,
                path,
                "python",
                "code",
                False,
                stored(text),
            )
            for path, text in sorted(files.items())
        )
    )


def scores(s: Segment, terms: dict[str, float], fields: FieldWeights = FLAT, b: float = 0.75) -> LexicalScores:
    return LexicalScores(s, terms.items(), fields, fields, Bm25Settings(1.2, b), b)


def test_bm25_by_hand() -> None:
    s = segment({"a.py": "apple\napple\npear\n", "b.py": "pear\n", "c.py": "plum\nplum\nplum\nplum\n"})
    found = scores(s, {"apple": 2.0})
    # 3 documents of lengths 3, 1 and 4 (mean 8/3); apple is in one of them, twice
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    norm = 1.2 * (1 - 0.75 + 0.75 * 3 / (8 / 3))
    wanted = 2.0 * idf * 2.2 * 2 / (2 + norm)
    assert found.units.tolist() == [pytest.approx(wanted, rel=1e-6), 0.0, 0.0]
    assert found.files.tolist() == pytest.approx(found.units.tolist())
    assert found.idf == {"apple": pytest.approx(idf)}


def test_fields_are_weighted_before_saturation() -> None:
    s = segment({"a.py": "def f():\n    # kiwi\n    kiwi = 'kiwi'\n", "b.py": "def g():\n    pass\n"})
    fields = FieldWeights(code=1, doc=2, string=4, name=8, path=16)
    found = scores(s, {"kiwi": 1.0}, fields, b=0.0)
    idf = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    assert found.units.tolist() == [0.0, pytest.approx(idf * 2.2 * 7 / (7 + 1.2), rel=1e-6), 0.0, 0.0]


def test_a_path_gives_its_terms_to_every_unit_of_the_file() -> None:
    s = segment({"fruit/kiwi.py": "def f():\n    pass\n", "b.py": "x = 1\n"})
    found = scores(s, {"kiwi": 1.0, "fruit": 1.0}, FieldWeights(path=3))
    assert (found.units > 0).tolist() == [False, True, True]


def test_no_term_no_unit_no_score() -> None:
    assert scores(segment({}), {"x": 1.0}).units.tolist() == []
    assert scores(segment({"a.py": "x = 1\n"}), {}).units.tolist() == [0.0]
    assert scores(segment({"a.py": "!!! ??? ...\n"}), {"apple": 1.0}).files.tolist() == [0.0]


def test_the_terms_that_a_unit_owes_its_score_to_add_up() -> None:
    s = segment({"a.py": "def f():\n    apple(pear)\n", "b.py": "pear\n"})
    terms = {"apple": 1.0, "pear": 0.5, "plum": 3.0}
    found = scores(s, terms)
    parts = found.terms_of(1, terms.items())
    assert [term for term, _ in parts] == ["apple", "pear"]
    assert math.fsum(part for _, part in parts) == pytest.approx(float(found.units[1]), rel=1e-5)


def test_name_coverage_is_the_share_of_the_name_that_is_said() -> None:
    s = segment({"a.py": "class BoxReader:\n    def open_lid(self):\n        pass\n"})
    names = dict(
        zip(s.qualified_names, name_coverage(s, {"box": 1.0, "reader": 0.5, "lid": 9.0}).tolist(), strict=True)
    )
    # BoxReader: boxreader, box, reader; BoxReader.open_lid: those and open_lid, open, lid
    assert names == {"": 0.0, "BoxReader": pytest.approx(1.5 / 3), "BoxReader.open_lid": pytest.approx(2.5 / 6)}


def test_files_and_folders_called_by_words() -> None:
    s = segment({"web/query_set.py": "", "web/query.py": "", "core/sets.py": "", "query/x.py": ""})
    assert [s.paths[f] for f in files_called(s, {"query", "set"})] == [
        "core/sets.py",
        "web/query.py",
        "web/query_set.py",
    ]
    assert [s.paths[f] for f in files_in_folders_called(s, {"query"})] == ["query/x.py"]


def test_scores_are_finite_and_never_negative() -> None:
    s = segment({f"m{n}.py": "def f():\n    apple\n" * n for n in range(1, 9)})
    found = scores(s, {"apple": 1.0, "f": 1.0})
    assert np.isfinite(found.units).all() and (found.units >= 0).all() and (found.files >= 0).all()
