"""Types, overloads, namespaces and decorators."""

from outlines.sample import Sample

_SOURCE = """\
import type { Server } from "http";
import fs, { type Stats as FileStats } from "fs";

/** What a store can do. */
export interface Store<T> extends Iterable<T>, Closable {
  readonly size: number;
  get(key: string): T | undefined;
  on?(event: "close"): void;
}

export type Key = string | number;
export const enum Level { Low, High }

declare module "express" {
  function listen(port: number): Server;
}

export namespace Geometry {
  export function area(r: number): number { return r * r; }
  export class Point { constructor(readonly x: number) {} }
}

export function parse(text: string): Key;
export function parse(text: number): Key;
/* The one with a body. */
export function parse(text: any): Key {
  return text;
}

@Injectable({ scope: "root" })
export abstract class Memory<T> extends Base<T> implements Store<T>, geo.Shape {
  private items = new Map<string, T>();

  constructor(@Inject(KEY) private readonly key: Key) { super(); }

  @Input()
  @Required
  get size(): number { return this.items.size; }

  abstract flush(): Promise<void>;
  // How many there are.
  static count<K extends Key>(keys: K[]): number {
    return keys.length;
  }
  private load = async (name: string): Promise<T> => {
    return this.items.get(name)!.value<T>();
  };
}

const twice = <T,>(value: T): T[] => [value, value];
export default function (options: Partial<Options> = {}) {
  return twice(options);
}
"""

SAMPLE = Sample(
    "typescript",
    _SOURCE,
    [
        ("class", "Store", 4, 9),
        ("method", "Store.get", 7, 7),
        ("method", "Store.on", 8, 8),
        ("class", "Key", 11, 11),
        ("class", "Level", 12, 12),
        ("class", "express", 14, 16),
        ("function", "express.listen", 15, 15),
        ("class", "Geometry", 18, 21),
        ("function", "Geometry.area", 19, 19),
        ("class", "Geometry.Point", 20, 20),
        ("method", "Geometry.Point.constructor", 20, 20),
        ("function", "parse", 23, 23),
        ("function", "parse", 24, 24),
        ("function", "parse", 25, 28),
        ("class", "Memory", 30, 48),
        ("method", "Memory.constructor", 34, 34),
        ("method", "Memory.size", 36, 38),
        ("method", "Memory.flush", 40, 40),
        ("method", "Memory.count", 41, 44),
        ("method", "Memory.load", 45, 47),
        ("function", "twice", 50, 50),
        ("function", "default", 51, 53),
    ],
    details={
        "Store": "interface",
        "Store.get": "declaration",
        "Key": "type",
        "Level": "enum",
        "Geometry": "namespace",
        "express": "module",
        "Memory.constructor": "constructor",
        "Memory.size": "getter",
        "Memory.flush": "declaration",
        "parse": "function",
    },
    bases={"Memory": ("Base", "Store", "geo.Shape"), "Store": ("Iterable", "Closable")},
    signatures={
        "Memory": "export abstract class Memory<T> extends Base<T> implements Store<T>, geo.Shape",
        "Memory.count": "static count<K extends Key>(keys: K[]): number",
        "Memory.size": "get size(): number",
        "parse": "export function parse(text: any): Key",
    },
    docstrings={
        "Store": "What a store can do.",
        "Memory.count": "How many there are.",
        "parse": "The one with a body.",
    },
    zones=[("string", "express"), ("comment", "/* The one with a body. */")],
    no_zones=("readonly size",),
)
