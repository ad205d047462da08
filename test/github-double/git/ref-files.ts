// Reads refs where git keeps them: loose files before the packed ones.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SHA = /^[0-9a-f]{40}$/;
/** What cannot lead out of the folder of refs. */
const PLAIN = /^refs\/(?!.*\.\.)[\w./@+=-]+$/;

/** What a full name such as `refs/heads/main` holds; null where it is not there, undefined where git must be asked. */
export function refFile(gitDir: string, name: string): string | null | undefined {
  if (!PLAIN.test(name) || name.endsWith('/') || name.includes('//')) return undefined;
  const loose = textOf(join(gitDir, name));
  if (loose === null) return packedRefs(gitDir).get(name) ?? null;
  return SHA.test(loose.trim()) ? loose.trim() : undefined;
}

/** All of them below `refs/`, by name; undefined where one is neither loose nor packed as an id, such as a symbolic one. */
export function refFiles(gitDir: string): ReadonlyMap<string, string> | undefined {
  const found = new Map(packedRefs(gitDir));
  for (const entry of readdirSync(join(gitDir, 'refs'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue;
    const name = join(entry.parentPath, entry.name).slice(gitDir.length + 1);
    const sha = textOf(join(gitDir, name))?.trim();
    // Deleted since the folder was read.
    if (sha === undefined) continue;
    if (!SHA.test(sha)) return undefined;
    found.set(name, sha);
  }
  return new Map([...found].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

function packedRefs(gitDir: string): ReadonlyMap<string, string> {
  const lines = (textOf(join(gitDir, 'packed-refs')) ?? '').split('\n');
  const rows = lines.filter((line) => /^[0-9a-f]{40} refs\//.test(line));
  return new Map(rows.map((line) => [line.slice(41), line.slice(0, 40)]));
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
