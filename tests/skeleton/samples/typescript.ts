import type { A } from "./a";
export interface Shape { area(): number; readonly name: string }
export type Pair<T> = { left: T; right: T };
enum Color { Red, Green = "g" }
function pick(value: string): string;
function pick(value: number): number;
function pick(value: any): any {
  if (value) { return value; }
  return null;
}
export abstract class Base<T extends { a: string }> implements Shape {
  @Input() public field: Map<string, { a: number }> = new Map();
  constructor(private readonly a: A, public b = { c: ")" }) {
    this.field.set(a, b);
  }
  abstract run(): void;
  @Get("/x", { y: 1 })
  async load<K>(key: K): Promise<{ value: K }> {
    return { value: await get(key) };
  }
  area(): number { return 1 * 2 * 3; }
  name = "x";
}
declare module "m" { export function f(): void; }
namespace N { export function g(): number { return compute(1); } }
export const make = <T,>(x: T): Pair<T> => ({ left: x, right: x });
