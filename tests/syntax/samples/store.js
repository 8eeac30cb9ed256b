import axios, { get as fetchIt } from './http.js';
import * as util from 'util';
const fs = require('fs');
const { join, resolve: full } = require('path');

/** Loads it. */
export async function load(name) {
  function inner() {}
  return fetchIt(`${full(name)}/x`);
}

export default class Store extends base.Model {
  #key() {}
  static create = (x) => {
    return new Store(x);
  };
  constructor() {
    super();
  }
  get size() { return 1; }
  set size(v) {}
  async *[Symbol.iterator]() {}
}

// Adds.
const add = (a, b) => a + b;
const mul = function (a, b) {
  return a * b;
};
exports.sub = function () {};
module.exports.div = () => 1;
Store.prototype.clear = function () {
  throw new errors.Gone('x');
};
const handlers = {
  open() {},
  close: function () {},
  nested: { deep: () => 1 },
};
function* ids() {}
run(function named() {});
