// The version of a package that a project's lock file or manifest names, as a tag of the package's own repository.
import type { Repository, SourceTree } from 'causeway-git-objects';
import type { OwnPackage } from './paths.ts';
import { listSpellings } from './resolve-revision.ts';

/** What was installed before what is merely allowed; in the root folder only. */
const FILES = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'go.mod',
  'Cargo.lock',
  'Gemfile.lock',
  'composer.lock',
  'poetry.lock',
  'uv.lock',
  'requirements.txt',
  'package.json',
  'Cargo.toml',
  'pyproject.toml',
];

/** A lock file has the version up to two lines below the name. */
const LINES = 3;
const MOST_PLACES = 20;
const KEY = /^\s{0,40}"?version"?[\s:=]/;
const VERSION = /(?:^|[^\w.])v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?(?:[-+][0-9A-Za-z.-]{1,40})?)(?![\w.])/;

/** Not the revision in an address (`…#v1.2.0`). */
const COMMENT = /(?:^|[ \t])#.*$/gm;

export interface Tagged {
  readonly sha: string;
  readonly tag: string;
}

/** Null: no such file names a version that is a tag there. */
export async function findDependencyTag(
  tree: SourceTree,
  packages: readonly OwnPackage[],
  repository: Repository,
  signal: AbortSignal,
): Promise<Tagged | null> {
  const names = [...new Set(packages.map(({ name }) => name))].slice(0, 5);
  if (names.length === 0) return null;
  for await (const { text } of readManifests(tree, signal)) {
    for (const tag of listTags(text, names)) {
      const sha = await repository.resolve(`refs/tags/${tag}`, signal);
      if (sha !== null) return { sha, tag };
    }
  }
  return null;
}

/** The version of an installed package, and the file that names it; null: none does. */
export async function findInstalledVersion(
  tree: SourceTree,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly file: string; readonly version: string } | null> {
  for await (const { file, text } of readManifests(tree, signal)) {
    const version = findVersion(text.split('\n'), name);
    if (version !== null) return { file, version };
  }
  return null;
}

async function* readManifests(
  tree: SourceTree,
  signal: AbortSignal,
): AsyncGenerator<{ readonly file: string; readonly text: string }> {
  const present = new Set((await tree.files(signal)).entries.map(({ path }) => path));
  for (const file of FILES.filter((each) => present.has(each))) {
    const read = await tree.read(file, {}, signal);
    if (read.kind === 'text') yield { file, text: read.text.replace(COMMENT, '') };
  }
}

/** What a tag of the versions that the text names may be called. */
function listTags(text: string, names: readonly string[]): readonly string[] {
  const lines = text.split('\n');
  return names.flatMap((name) => {
    const version = findVersion(lines, name);
    return version === null ? [] : listSpellings({ version, of: name.toLowerCase() }, [name]);
  });
}

/** The installed version, which says more than a range that stands before it. */
function findVersion(lines: readonly string[], name: string): string | null {
  // npm lists the copies that other packages have of their own before it.
  const own = lines.findIndex((line) => line.trim() === `"node_modules/${name}": {`);
  const top = VERSION.exec(own === -1 ? '' : (lines[own + 1] ?? ''))?.[1];
  if (top !== undefined) return top;
  let places = 0;
  let range: string | null = null;
  for (const [index, line] of lines.entries()) {
    const at = findWord(line, name);
    if (at === -1) continue;
    places += 1;
    if (places > MOST_PLACES) break;
    const installed = lines.slice(index + 1, index + LINES).find((text) => KEY.test(text));
    const version = VERSION.exec(installed ?? '')?.[1];
    if (version !== undefined) return version;
    range ??= VERSION.exec(line.slice(at + name.length))?.[1] ?? null;
  }
  return range;
}

/** Where the name begins, not as a part of a longer one; -1: nowhere. */
function findWord(line: string, name: string): number {
  const at = line.indexOf(name);
  const around = `${line[at - 1] ?? ' '}${line[at + name.length] ?? ' '}`;
  return at !== -1 && !/[\w.-]/.test(around) ? at : -1;
}
