// Licence line.
// More of it.
import { a, b as c } from "./a";
const LIMIT = { max: 10, of: [1, 2] };

/**
 * Adds.
 * @param x first
 */
export default function add(x, y = ")") {
  // why
  const helper = (z) => { return z + 1; };
  function inner() { return helper(x); }
  return inner() + y;
}
export const double = async (x) => x * 2 + helper(x);
const short = () => 1;
function* numbers() {
  yield 1; yield 2;
}
export class Basket extends Base {
  static #count = 0;
  items = [];
  static {
    Basket.#count = compute();
  }
  constructor(owner) {
    super();
    this.owner = owner;
    this.table = {
      a: 1,
    };
    log(owner);
  }
  get total() {
    return this.items.length;
  }
  set total(value) { this.items = value; }
  onClick = (event) => {
    this.add(event);
  };
  async *stream() { yield* this.items; }
}
module.exports.named = function (x) {
  return x;
};
(function () {
  var hidden = function () { return 1; };
  hidden();
})();
