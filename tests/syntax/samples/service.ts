import type { Request } from './http';
import fs = require("fs");

export namespace Api.V1 {
  export function ping(): void {}
}
declare module "legacy" {
  function old(a: string): void;
}

// The service.
@Component({ name: "x" })
export class Service<T> extends Base<T> implements Runnable, ns.Closable {
  @Input() title: string;

  constructor(private http: Http) {
    super();
  }

  // Starts it.
  @Log()
  private start(@Arg() a?: string): void {
    this.http.get<string>("x");
  }

  stop(): void;
  stop(now?: boolean) {}
  onClick = (e: Event) => {};
}

export abstract class Shape {
  abstract area(): number;
  get name(): string { return "s"; }
}
interface Runnable extends Startable<number>, Closable {
  run(x: number): void;
  flag: boolean;
}
export enum Color { Red, Green = "g" }
export type Pair = [string, number];
const pick = <K,>(k: K): K => k;
