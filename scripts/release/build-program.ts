// Bundles the program into one flat folder: every module, each worker as an entry of its own, and every file that the
// source asks for by `locate` (src/installation.ts). The calls of that function are the only list of what is copied.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';

export const ROOT = path.dirname(path.dirname(import.meta.dirname));
const SOURCES = ['src/**/*.ts', 'packages/*/src/**/*.ts'];
const NODE_MODULES = 'node_modules/';

interface ProgramOptions {
  readonly out: string;
  readonly entries: Readonly<Record<string, string>>;
  readonly external: (id: string) => boolean;
  readonly isShipped: (file: string) => boolean;
}

/**
 * Writes the folder `out`. `entries`: source file by name. `external`: whether an import stays an import; all else is
 * bundled. `isShipped`: whether a file that the source may ask for is copied. Returns the folders of the packages that parts were taken from.
 */
export async function buildProgram({ out, entries, external, isShipped }: ProgramOptions): Promise<readonly string[]> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { workers, files } = findLocated(isShipped);
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...entries, ...Object.fromEntries(workers.map((file) => [path.basename(file, '.ts'), file])) },
    platform: 'node',
    external,
    // Two packages of others use it, and the lint sees to it that we do not.
    checks: { eval: false },
  });
  const { output } = await bundle.write({
    dir: out,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  // Whatever folder this one is put into, its files are modules.
  writeFileSync(path.join(out, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`);
  const taken = new Set(output.map(({ fileName }) => fileName));
  for (const file of files) {
    const name = path.basename(file);
    if (taken.has(name)) throw new Error(`Two files that are shipped are named ${name}: rename one of them.`);
    taken.add(name);
    cpSync(file, path.join(out, name), { recursive: true });
  }
  const modules = output.flatMap((part) => (part.type === 'chunk' ? (part as OutputChunk).moduleIds : []));
  return listPackages([...modules, ...files]);
}

/** What the source locates: workers, by their source, and other files and folders, each as an absolute path. */
function findLocated(isShipped: ProgramOptions['isShipped']): {
  readonly workers: readonly string[];
  readonly files: readonly string[];
} {
  const located = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).flatMap((source) => {
    const file = path.join(ROOT, source);
    const calls = readFileSync(file, 'utf8').matchAll(/\blocate(OfPackage)?\(\s*['`]([^'`]+)['`]/g);
    return [...calls].flatMap(([, ofPackage, place = '']) => findFiles(place, ofPackage ? null : file));
  });
  const all = [...new Set(located)].filter(isShipped).sort();
  return { workers: all.filter((file) => file.endsWith('.ts')), files: all.filter((file) => !file.endsWith('.ts')) };
}

/** A part that the program fills in (`${name}`) is any. */
function findFiles(place: string, from: string | null): readonly string[] {
  const base = from === null ? path.join(ROOT, NODE_MODULES) : path.dirname(from);
  const found = globSync(place.replaceAll(/\$\{[^}]*\}/g, '*'), { cwd: base }).map((file) => path.join(base, file));
  if (found.length === 0) throw new Error(`${from ?? 'The program'} locates ${place}, and there is no such file.`);
  return found;
}

function listPackages(files: readonly string[]): readonly string[] {
  const names = files.flatMap((file) => {
    const at = file.lastIndexOf(NODE_MODULES);
    if (at < 0) return [];
    const parts = file.slice(at + NODE_MODULES.length).split('/');
    return [file.slice(0, at + NODE_MODULES.length) + parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1).join('/')];
  });
  return [...new Set(names)].sort();
}
