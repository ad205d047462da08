// Every entry of a commit, from one `git ls-tree`.
import { CausewayError } from '../domain/errors.ts';
import type { Listing, TreeEntry } from '../ports/source.ts';
import type { RepositoryAccess } from './repository.ts';

// 100,000 files are about 10 MB.
const MAX_BYTES = 512 * 1024 * 1024;

/** Reads the listing of the commit `sha`, in git's path order. */
export async function readListing(access: RepositoryAccess, sha: string, signal: AbortSignal): Promise<Listing> {
  const { ending, stdout, stderr } = await access.git.run({
    args: ['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', sha],
    gitDir: access.mirror.gitDir,
    timeoutMs: 60_000,
    maxBytes: MAX_BYTES,
    signal,
  });
  if (ending.kind === 'exited' && ending.code === 0) return parseListing(stdout);
  throw new CausewayError('internal', `The files of commit ${sha} could not be listed. ${stderr}`);
}

/** Parses `ls-tree -r -l -z`: `<mode> <type> <id> <size>\t<path>\0`, any byte but NUL in the path. */
function parseListing(output: Buffer): Listing {
  const rows = rowsOf(output);
  const entries = rows.flatMap((row) => (row === null ? [] : entryOf(row)));
  return { entries, unreadableNames: rows.length - entries.length };
}

/** The rows as text; null for one that is not UTF-8. */
function rowsOf(output: Buffer): readonly (string | null)[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const whole = decodeOrNull(decoder, output);
  if (whole !== null) return whole.split('\0').slice(0, -1);
  const rows: (string | null)[] = [];
  for (let start = 0, end = output.indexOf(0); end !== -1; start = end + 1, end = output.indexOf(0, start)) {
    rows.push(decodeOrNull(decoder, output.subarray(start, end)));
  }
  return rows;
}

export function decodeOrNull(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function entryOf(row: string): TreeEntry[] {
  const tab = row.indexOf('\t');
  const [mode, , blob, size] = row.slice(0, tab).split(/ +/);
  const path = row.slice(tab + 1);
  if (mode === undefined || blob === undefined || path === '') return [];
  const kind = kindOf(mode);
  // A partial clone lacks some contents: git says "BAD" for their size.
  const bytes = kind === 'file' || kind === 'executable' ? Number(size) : 0;
  return [{ path, size: Number.isNaN(bytes) ? 0 : bytes, kind, blob }];
}

function kindOf(mode: string): TreeEntry['kind'] {
  if (mode === '120000') return 'symlink';
  if (mode === '160000') return 'submodule';
  return mode === '100755' ? 'executable' : 'file';
}
