// Paths that a report names, with the line where it says one: compilers, linters, links to source, people.

export interface Place {
  readonly file: string;
  readonly line: number;
}

const MAX_PATHS = 200;
const EXTENSION =
  /\.(?:[cm]?[jt]sx?|pyi?|java|kts?|go|rs|cs|rb|php|swift|scala|groovy|c|cc|cpp|cxx|h|hpp|mm|vue|svelte|astro|s?css|less|html|sql|sh|ps1|exs?|erl|hs|lua|dart|clj|proto|graphql|json|ya?ml|toml|xml|gradle|cfg|ini|tf)(?=$|[:([#,])/i;
const LINE = /^(?::(\d{1,7})|:?[([](\d{1,7})[,)\]]|#L(\d{1,7}))/;
const SOURCE_LINK =
  /https?:\/\/[^\s/]{3,100}\/[^\s/]{1,100}\/[^\s/]{1,100}\/(?:-\/)?(?:blob|blame|src)\/[^\s/]{1,100}\/([^\s?#)\]>"']{3,400})(?:#L(\d{1,7}))?/g;

/** Distinct paths and places in the order of the text. */
export function findPaths(lines: readonly string[]): {
  readonly paths: readonly string[];
  readonly places: readonly Place[];
} {
  const found = new Map<string, Place>();
  for (const line of lines) {
    for (const place of placesIn(line)) found.set(`${place.file}:${place.line}`, place);
    if (found.size >= MAX_PATHS) break;
  }
  const all = [...found.values()].slice(0, MAX_PATHS);
  return {
    paths: all.filter(({ line }) => line === 0).map(({ file }) => file),
    places: all.filter(({ line }) => line > 0),
  };
}

function placesIn(line: string): readonly Place[] {
  const links = [...line.matchAll(SOURCE_LINK)].map((link) => ({ file: link[1] ?? '', line: Number(link[2] ?? 0) }));
  const tokens = line.split(/[\s"'`<>|;{}=*]+/).filter((token) => token.length >= 4 && token.length <= 400);
  return [...links, ...tokens.flatMap((token) => placeOf(token) ?? [])];
}

/** `path:12:5:`, `path(12,5):`, `path:[12,5]`, `path#L12` or a bare path. */
function placeOf(token: string): Place | null {
  const bare = token.replace(/^[([,]+/, '').replace(/[.,]$/, '');
  const extension = /^https?:/.test(bare) ? null : EXTENSION.exec(bare);
  if (!extension) return null;
  const end = extension.index + extension[0].length;
  const file = bare.slice(0, end);
  if (!/^[\w@.~/\\:+()[\]$-]+$/.test(file) || /^\.\w+$/.test(file)) return null;
  const line = LINE.exec(bare.slice(end));
  return { file, line: Number(line?.[1] ?? line?.[2] ?? line?.[3] ?? 0) };
}
