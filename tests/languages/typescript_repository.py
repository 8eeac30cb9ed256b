"""A checker of Markdown links; the issue tells of a command-line flag."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== src/main.ts
import { parseArguments } from './cli/arguments';
import { Crawler } from './crawl/crawler';
import { writeReport } from './report/text';

export async function main(argv: string[]): Promise<number> {
  const options = parseArguments(argv);
  const crawler = new Crawler(options);
  const results = await crawler.run();
  process.stdout.write(writeReport(results));
  return results.every((result) => result.ok) ? 0 : 1;
}

=== src/types.ts
export interface Link {
  file: string;
  line: number;
  target: string;
}

export interface Result extends Link {
  ok: boolean;
  status?: number;
}

export interface Options {
  root: string;
  ignoreHosts: string[];
  concurrency: number;
  timeout: number;
  base?: string;
}

=== src/cli/arguments.ts
import type { Options } from '../types';
import { defaults } from './defaults';

type Setter = (options: Options, value: string) => void;

const SETTERS: Record<string, Setter> = {
  '--concurrency': (options, value) => (options.concurrency = Number(value)),
  '--timeout': (options, value) => (options.timeout = Number(value)),
  '--base': (options, value) => (options.base = value),
  '--ignore-hosts': (options, value) => (options.ignoreHosts = value.split(',')),
};

export function parseArguments(argv: string[]): Options {
  const options = defaults();
  for (let at = 0; at < argv.length; at += 1) {
    const setter = SETTERS[argv[at]];
    if (setter) setter(options, argv[(at += 1)]);
    else options.root = argv[at];
  }
  return options;
}

=== src/cli/defaults.ts
import type { Options } from '../types';

export function defaults(): Options {
  return { root: '.', ignoreHosts: [], concurrency: 8, timeout: 10 };
}

=== src/crawl/crawler.ts
import type { Link, Options, Result } from '../types';
import { findLinks } from '../markdown/links';
import { markdownFiles } from '../files/walk';
import { LocalChecker } from '../check/local';
import { RemoteChecker } from '../check/remote';
import { Pool } from './pool';

/** Crawls all Markdown files and checks every link, on this disk or on a host. */
export class Crawler {
  private readonly remote: RemoteChecker;
  private readonly local = new LocalChecker();

  constructor(private readonly options: Options) {
    this.remote = new RemoteChecker(options);
  }

  async run(): Promise<Result[]> {
    const pool = new Pool<Result>(this.options.concurrency);
    for await (const file of markdownFiles(this.options.root)) {
      for (const link of await findLinks(file)) pool.add(() => this.check(link));
    }
    return pool.drain();
  }

  private check(link: Link): Promise<Result> {
    return /^https?:/.test(link.target) ? this.remote.check(link) : this.local.check(link);
  }
}

=== src/crawl/pool.ts
export class Pool<T> {
  private readonly waiting: Array<() => Promise<T>> = [];

  constructor(private readonly size: number) {}

  add(job: () => Promise<T>): void {
    this.waiting.push(job);
  }

  async drain(): Promise<T[]> {
    const done: T[] = [];
    const worker = async (): Promise<void> => {
      for (let job = this.waiting.shift(); job; job = this.waiting.shift()) done.push(await job());
    };
    await Promise.all(Array.from({ length: this.size }, worker));
    return done;
  }
}

=== src/check/remote.ts
import type { Link, Options, Result } from '../types';
import { isIgnored } from './ignore';
import { requestStatus } from './http';

export class RemoteChecker {
  private readonly seen = new Map<string, Promise<number>>();

  constructor(private readonly options: Options) {}

  async check(link: Link): Promise<Result> {
    if (isIgnored(link.target, this.options.ignoreHosts)) return { ...link, ok: true };
    const status = await this.status(link.target);
    return { ...link, status, ok: status < 400 };
  }

  private status(target: string): Promise<number> {
    const known = this.seen.get(target) ?? requestStatus(target, this.options.timeout);
    this.seen.set(target, known);
    return known;
  }
}

=== src/check/ignore.ts
const WILDCARD = /^\*\./;

function normalise(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** Whether nothing is asked of where a URL points. */
export function isIgnored(url: string, ignoreHosts: readonly string[]): boolean {
  const name = normalise(new URL(url).hostname);
  for (const entry of ignoreHosts) {
    if (WILDCARD.test(entry) && name.endsWith(entry.slice(2))) return true;
    if (entry === name) return true;
  }
  return false;
}

export function isSkippable(url: string): boolean {
  return /^(?:mailto|tel|javascript|data):/i.test(url);
}

=== src/check/http.ts
import * as https from 'https';

/** Ask a server for the head of a page; 599 when it does not answer in time. */
export function requestStatus(url: string, timeout: number): Promise<number> {
  return new Promise((resolve) => {
    const request = https.request(url, { method: 'HEAD', timeout: timeout * 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 599);
    });
    request.on('error', () => resolve(599));
    request.on('timeout', () => request.destroy());
    request.end();
  });
}

=== src/check/local.ts
import { promises as fs } from 'fs';
import * as path from 'path';
import type { Link, Result } from '../types';

export class LocalChecker {
  async check(link: Link): Promise<Result> {
    const target = path.resolve(path.dirname(link.file), link.target.split('#')[0]);
    const ok = await fs.access(target).then(() => true, () => false);
    return { ...link, ok };
  }
}

=== src/markdown/links.ts
import { promises as fs } from 'fs';
import type { Link } from '../types';

const INLINE = /\[[^\]]*\]\(([^)\s]+)[^)]*\)/g;

export async function findLinks(file: string): Promise<Link[]> {
  const links: Link[] = [];
  const lines = (await fs.readFile(file, 'utf8')).split('\n');
  lines.forEach((text, at) => {
    for (const match of text.matchAll(INLINE)) links.push({ file, line: at + 1, target: match[1] });
  });
  return links;
}

=== src/markdown/anchors.ts
export function anchorOf(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\w\- ]+/g, '').replace(/ /g, '-');
}

export function anchorsOf(text: string): Set<string> {
  return new Set([...text.matchAll(/^#{1,6} (.*)$/gm)].map((match) => anchorOf(match[1])));
}

=== src/files/walk.ts
import { promises as fs } from 'fs';
import * as path from 'path';

/** All Markdown files below a folder. */
export async function* markdownFiles(folder: string): AsyncGenerator<string> {
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* markdownFiles(full);
    else if (entry.name.endsWith('.md')) yield full;
  }
}

=== src/report/text.ts
import type { Result } from '../types';

/** The report: every broken link with the file it stands in, then what is reported in all. */
export function writeReport(results: Result[]): string {
  const broken = results.filter((result) => !result.ok);
  const lines = broken.map((result) => `${result.file}:${result.line} ${result.target} ${result.status ?? 'missing'}`);
  return [...lines, `${results.length} links, ${broken.length} broken`, ''].join('\n');
}

=== src/report/sites.ts
// An intranet that needs a login is broken from outside: all links that point to it are reported so.
import type { Result } from '../types';

/** Broken links by company. */
export function byCompany(results: Result[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const result of results) {
    const company = result.target.split('/')[2].split('.').slice(-2).join('.');
    counts.set(company, (counts.get(company) ?? 0) + 1);
  }
  return counts;
}

/** Those that are reported. */
export function intranetLinks(results: Result[]): Result[] {
  return results.filter((result) => result.target.includes('intranet') && !result.ok);
}

=== src/report/page.ts
// Letters are written as in the handbook.
import type { Result } from '../types';
import { intranetLinks } from './sites';

/** A page of broken links. */
export function linkPage(results: Result[]): string {
  const rows = intranetLinks(results).map((result) => `<li>${result.target} is reported as broken</li>`);
  return `<h1>From outside of the company</h1><ul>${rows.join('')}</ul>`;
}

=== src/report/mail.ts
// Mails a page to the company, with a capital letter in each name.
import type { Result } from '../types';
import { linkPage } from './page';

/** To those who wrote it. */
export function mailReport(results: Result[], send: (to: string, text: string) => void): void {
  send('handbook@company.example', `Links reported from outside: ${linkPage(results)}`);
}

=== src/__tests__/ignore.test.ts
import { isIgnored } from '../check/ignore';

test('links of our handbook to the intranet of the company, with capital letters, are not reported', () => {
  expect(isIgnored('https://Wiki.Intranet.example/a', ['Wiki.Intranet.example'])).toBe(true);
});

=== vendor/hosts/ignore.ts
/** ignore hosts: links to the intranet of the company with a capital letter */
export const ignoreHosts = (handbook: string[]): string[] => handbook;
"""

REPOSITORY = Repository(
    language="typescript",
    files=files_of(_FILES)
    | {"site/handbook.min.js": minified("links handbook company intranet reported broken capital")},
    issue="""--ignore-hosts does not ignore a host whose name has a capital letter

Links in our company handbook point to the intranet, and from outside the links are reported as broken. So I run

    linkcheck --ignore-hosts Wiki.Intranet.example handbook/

and each URL of that host is still reported as broken. With small letters it is ignored.
""",
    path="src/check/ignore.ts",
    name="isIgnored",
    first="/** Whether nothing is asked of where a URL points. */",
    last="}",
    decoys=("src/report/sites.ts", "src/report/page.ts", "src/report/mail.ts"),
    never=("src/__tests__/ignore.test.ts", "vendor/hosts/ignore.ts", "site/handbook.min.js"),
)
