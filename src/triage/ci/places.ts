// Places that the telling lines of a log name, in paths as the repository may have them.
import { isRuntimeFrame } from '../runtime-frames.ts';
import type { Place } from './evidence.ts';
import type { Cause } from './find-cause.ts';
import type { PlainLine } from './plain-lines.ts';

const MAX_PLACES = 30;
const MAX_MESSAGE = 300;
/** Lines after a telling one that still belong to it: frames, excerpts of source. */
const REACH = 25;
const EXTENSION =
  '[cm]?[jt]sx?|vue|svelte|astro|py|pyi|rb|go|rs|java|kts?|scala|groovy|gradle|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|cs|fs|vb|php|ex|exs|erl|hs|ml|lua|dart|sh|bash|ps1|sql|css|scss|less|html|ya?ml|toml|json|xml|tf|md|rst|tex|proto|cmake|bzl|clj|jl|r|R|zig|nim|pl|pm';
const PATH = `(?:[A-Za-z]:)?[\\w.@~+/\\\\-]{1,400}\\.(?:${EXTENSION})`;
/** Frames of ECMAScript modules name files by their address. */
const ADDRESS = 'file://(?:/(?=[A-Za-z]:))?';
/** `path:12:3`, `path(12,3)`, `path:[12,3]`, `"path", line 12`, `path line 12`. */
const PLACE = new RegExp(
  `(?<![\\w/\\\\.:-])(?:${ADDRESS})?(${PATH})(?:"?,? line (\\d{1,6})\\b|:\\[?(\\d{1,6})(?:[:,]\\d{1,5})?\\]?|\\((\\d{1,6})(?:,\\d{1,5}){0,3}\\))`,
  'g',
);
/** Folders that runners check the repository out into, up to its root. */
const WORKSPACES = [
  /^.*?\/(?:actions-runner\/)?_?work\/([^/]+)\/\1\//,
  /^\/__w\/[^/]+\/[^/]+\//,
  /^[a-zA-Z]:\/a\/[^/]+\/[^/]+\//,
  /^[a-zA-Z]:\/a\/\d+\/s\//,
  /^\/github\/workspace\//,
  /^\/home\/travis\/build\/[^/]+\/[^/]+\//,
  /^\/builds\/workspace\/[^/]+\//,
  /^\/builds\/[^/]+\/[^/]+\//,
  /^\/(?:home|root)\/circleci\/(?:project|repo)\//,
  /^\/root\/project\//,
  /^.*?\/jenkins(?:_home)?\/workspace\/[^/]+\//,
  /^\/home\/vsts\/work\/\d+\/s\//,
  /^\/(?:bitbucket|opt\/atlassian)\/pipelines\/agent\/build\//,
  /^\/drone\/src\//,
  /^\/(?:workspace|workdir|usr\/src\/app|app|src)\//,
];
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor\/bundle|\.cargo|\.rustup|\.m2|\.gradle|\.npm|\.cache|\.venv|venv|hostedtoolcache|Python\.framework)\/|^(?:node:|native:)|^internal\/.{1,200}\.[cm]?js$|pkg\/mod\/|^(?:timers|module|events|domain|child_process|net|fs|stream|loader|async_hooks)\.js$/;
const HARNESS =
  /^(?:hudson|jenkins|org\.(?:jenkinsci|testng|mockito|hamcrest|assertj|opentest4j|apache\.tools\.ant|codehaus\.plexus|spockframework))\./;
/** `at com.shop.Cart.add(Cart.java:12)`: the package is the folder. */
const JVM_FRAME =
  /\bat ((?:[a-z_][\w$]*\.){1,20})[\w$<>.]{1,200}\(([\w$]{1,100}\.(?:java|kt|scala|groovy)):(\d{1,6})\)/;

/** Distinct, as they come after the first error; nothing of the machine's own folders or of installed packages. */
export function findPlaces(lines: readonly PlainLine[], cause: Cause): readonly Place[] {
  const found = new Map<string, Place>();
  for (const line of nearLines(lines, cause)) {
    for (const place of placesIn(line)) {
      const key = `${place.path}:${place.line}`;
      if (!found.has(key)) found.set(key, { ...place, message: line.trim().slice(0, MAX_MESSAGE) });
    }
    if (found.size >= MAX_PLACES) break;
  }
  return [...found.values()].slice(0, MAX_PLACES);
}

/** The telling lines with those that follow them, each once. */
function* nearLines(lines: readonly PlainLine[], { telling, headline, step }: Cause): Generator<string> {
  const to = step?.to ?? lines.length;
  let next = headline;
  for (const { at, kind } of telling) {
    if (kind === 'weak' || kind === 'end' || at < headline) continue;
    for (next = Math.max(at, next); next < Math.min(at + REACH, to); next += 1) yield lines[next]?.text ?? '';
  }
}

/** Whether the line names a line of a file of the repository. */
export function hasPlace(text: string): boolean {
  return placesIn(text).length > 0;
}

function placesIn(text: string): readonly Omit<Place, 'message'>[] {
  if (!/\d/.test(text)) return [];
  const frame = JVM_FRAME.exec(text);
  if (frame) return jvmPlace(frame);
  return [...text.matchAll(PLACE)].flatMap((match) => {
    const path = repositoryPath((match[1] ?? '').replace(/^.{1,200}[\w)]@(?=[\w.])/, ''));
    const line = Number(match[2] ?? match[3] ?? match[4] ?? 0);
    return path === null || line === 0 ? [] : [{ path, line }];
  });
}

function jvmPlace([, scope = '', file = '', line = '']: readonly string[]): readonly Omit<Place, 'message'>[] {
  if (isRuntimeFrame({ file, symbol: scope, language: 'jvm' }) || HARNESS.test(scope)) return [];
  return [{ path: `${scope.replaceAll('.', '/')}${file}`, line: Number(line) }];
}

/** The path without the runner's own folder in front; null: not of the repository. */
export function repositoryPath(written: string): string | null {
  const slashed = written.replace(/\\/g, '/').replace(/^(?:\.\/)+/, '');
  const workspace = WORKSPACES.find((pattern) => pattern.test(slashed));
  const path = workspace ? slashed.replace(workspace, '') : slashed;
  if (path === '' || path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:/.test(path)) return null;
  return FOREIGN.test(path) || path.split('/').includes('..') ? null : path;
}
