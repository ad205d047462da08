// Versions that a report names, and of what.

export interface NamedVersion {
  /** Without a leading `v`, such as `1.2.3-rc.1`. */
  readonly version: string;
  /** The word before it in lower case, such as `clap` of `clap 2.33`; "" where there is none. */
  readonly of: string;
  /** What stands before it in its part of the sentence, in lower case. */
  readonly context: string;
  /** Whether the text presents it as the version in use (`version: 1.2.3`), or as a tag (`v1.2.3`). */
  readonly labelled: boolean;
  /** Whether it belongs to something that is not the project: a language, an operating system, a browser. */
  readonly foreign: boolean;
  /** Whether the text says that the problem is not there (`works in 1.2.2`). */
  readonly fine: boolean;
}

const MAX_VERSIONS = 40;
const VERSION =
  /(?<![\w.])v?(\d{1,5}\.\d{1,5}(?:\.\d{1,5}){0,2}(?:[-.]?(?:alpha|beta|rc|pre|dev|next|canary|snapshot|M)[.-]?\d{0,5})?)(?![\w.]*\d)/gi;
const FOREIGN =
  /\b(?:node(?:\.?js)?|npm|yarn|pnpm|bun|deno|c?python3?|pypy|pip|conda|java|jdk|jre|jvm|openjdk|kotlin|gradle|maven|golang|go|rustc?|cargo|rustup|dotnet|\.net|net|macos|osx|os|ubuntu|debian|fedora|centos|alpine|windows|linux|kernel|ios|ipados|android|chrome|chromium|firefox|safari|edge|opera|browser|docker|kubernetes|k8s|postgres(?:ql)?|mysql|redis|sqlite|gcc|clang|glibc|openssl|http|tls|ip|gpu|cuda|typescript|webpack|vscode|eclipse|intellij)\b/i;
const FINE =
  /\b(?:works?|worked|working|fine|ok|fixed|good|not (?:affected|present)|last (?:good|working)|downgrad\w+)\b[^.,;]{0,30}$/i;

/** In the order of the text; equal ones once. */
export function findVersions(lines: readonly string[]): readonly NamedVersion[] {
  const found = new Map<string, NamedVersion>();
  for (const line of lines) {
    if (line.length > 500 || found.size >= MAX_VERSIONS) continue;
    for (const match of line.matchAll(VERSION)) {
      const version = namedVersion(line, match.index, match[0], match[1] ?? '');
      const key = `${version.of} ${version.version}`;
      if (!found.has(key)) found.set(key, version);
    }
  }
  return [...found.values()];
}

function namedVersion(line: string, index: number, text: string, version: string): NamedVersion {
  const before = line.slice(Math.max(0, index - 80), index);
  const clause = before.slice(Math.max(before.lastIndexOf(','), before.lastIndexOf(';'), before.lastIndexOf('|')) + 1);
  const word = /([@\w][\w@/.-]{0,60})[^\w]{0,6}$/.exec(clause)?.[1] ?? '';
  return {
    version,
    of: word.replace(/(?<![@/.-])[@/.-]+$/, '').toLowerCase(),
    context: clause.toLowerCase(),
    labelled: /^v/i.test(text) || /\b(?:version|release|tag|v)\b[^\w]{0,6}$/i.test(clause),
    foreign: FOREIGN.test(clause),
    fine: FINE.test(clause),
  };
}
