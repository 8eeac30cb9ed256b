"""The many ways of JavaScript to define a function."""

from outlines.sample import Sample

_SOURCE = """\
'use strict';
import React, { memo as remember, useState } from 'react';
import * as dates from "./dates.js";
import './month.css';
export { format } from './format';
const fs = require('node:fs');
const { join, resolve: absolute } = require('path');

/**
 * A month as a table.
 *
 * @param {object} props
 */
export const Month = memo((props) => {
  const [day, setDay] = useState(0);
  const onClick = useCallback(() => setDay(day + 1), [day]);
  return <Grid.Row title="one day"><Day onClick={onClick}/><b>text here</b></Grid.Row>;
});

exports.f = function (a, b) {
  return dates?.add(a, `sum ${b.total()}`);
};

Foo.prototype.bar = function bar() { throw new errors.Missing('bar'); };
module.exports.g = async x => x;

// Drawn by hand.
export default class Calendar extends React.Component {
  #days = [];
  static of(days) { return new Calendar(days); }

  constructor(props) {
    super(props);
  }

  get days() { return this.#days; }
  set days(value) { this.#days = value; }
  handle = (event) => { this.props.onChange(event); };
  async *each() {
    function* walk(days) { yield* days; }
    for (const day of walk(this.#days)) yield day;
  }
  ['computed']() {}
}

const routes = {
  list() { return []; },
  show: function (id) { return id; },
  admin: {
    drop: (id) => fs.rmSync(join(id)),
  },
};

const Mixed = class extends Calendar {};
function outer() {
  const inner = () => 1;
  return inner;
}
"""

SAMPLE = Sample(
    "javascript",
    _SOURCE,
    [
        ("function", "Month", 9, 18),
        ("function", "Month.onClick", 16, 16),
        ("function", "f", 20, 22),
        ("method", "Foo.bar", 24, 24),
        ("function", "g", 25, 25),
        ("class", "Calendar", 27, 44),
        ("method", "Calendar.of", 30, 30),
        ("method", "Calendar.constructor", 32, 34),
        ("method", "Calendar.days", 36, 36),
        ("method", "Calendar.days", 37, 37),
        ("method", "Calendar.handle", 38, 38),
        ("method", "Calendar.each", 39, 42),
        ("function", "Calendar.each.walk", 40, 40),
        ("method", "Calendar.['computed']", 43, 43),
        ("method", "routes.list", 47, 47),
        ("method", "routes.show", 48, 48),
        ("method", "routes.admin.drop", 50, 50),
        ("class", "Mixed", 54, 54),
        ("function", "outer", 55, 58),
        ("function", "outer.inner", 56, 56),
    ],
    details={"Calendar.constructor": "constructor", "Calendar.days": "setter", "Foo.bar": "method", "f": "function"},
    bases={"Calendar": ("React.Component",), "Mixed": ("Calendar",)},
    signatures={"Calendar": "export default class Calendar extends React.Component", "outer": "function outer()"},
    docstrings={"Month": "A month as a table.", "Calendar": "Drawn by hand."},
    references=[
        ("import", "react.memo", "remember", 2, ""),
        ("import", "react.useState", "useState", 2, ""),
        ("import", "react.default", "React", 2, ""),
        ("import", "./dates.js.*", "dates", 3, ""),
        ("import", "./month.css", "", 4, ""),
        ("import", "./format.format", "format", 5, ""),
        ("import", "node:fs.*", "fs", 6, ""),
        ("call", "require", "", 6, ""),
        ("import", "path.join", "join", 7, ""),
        ("import", "path.resolve", "absolute", 7, ""),
        ("call", "require", "", 7, ""),
        ("call", "memo", "", 14, "Month"),
        ("call", "useState", "", 15, "Month"),
        ("call", "useCallback", "", 16, "Month.onClick"),
        ("call", "setDay", "", 16, "Month.onClick"),
        ("call", "Grid.Row", "", 17, "Month"),
        ("call", "Day", "", 17, "Month"),
        ("call", "dates.add", "", 21, "f"),
        ("call", "b.total", "", 21, "f"),
        ("call", "errors.Missing", "", 24, "Foo.bar"),
        ("raise", "errors.Missing", "", 24, "Foo.bar"),
        ("call", "Calendar", "", 30, "Calendar.of"),
        ("call", "super", "", 33, "Calendar.constructor"),
        ("call", "this.props.onChange", "", 38, "Calendar.handle"),
        ("call", "walk", "", 41, "Calendar.each"),
        ("call", "fs.rmSync", "", 50, "routes.admin.drop"),
        ("call", "join", "", 50, "routes.admin.drop"),
    ],
    zones=[
        ("comment", "// Drawn by hand."),
        ("string", "use strict"),
        ("string", "one day"),
        ("string", "text here"),
        ("string", "sum "),
    ],
    no_zones=("b.total", "onClick={onClick}"),
)
