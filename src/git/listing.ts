// The entries of a commit, from one `git ls-tree` that is read piece by piece and ended when it grows absurd.
import { CausewayError } from '../core/errors.ts';
import type { Listing, TreeEntry } from '../core/source.ts';
import { failed } from './damage.ts';
import type { RepositoryAccess } from './repository.ts';

// A tree may name the same subtree many times: 250 kB of objects can stand for 10^10 paths. Linux has 90,000 files, about 9 MB.
const MAX_ENTRIES = 300_000;
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

interface EntryReader {
  readonly entries: readonly TreeEntry[];
  readonly unreadableNames: number;
  /** Whether a limit was reached. */
  readonly full: boolean;
  add(chunk: Buffer): void;
}

/** Reads the listing of the commit `sha`, in git's path order. Throws `DamagedObjects` where trees are missing. */
export async function readListing(access: RepositoryAccess, sha: string, signal: AbortSignal): Promise<Listing> {
  const process = access.git.start({
    args: ['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', sha],
    gitDir: access.mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    limitCpu: true,
    signal,
  });
  process.stdin.end();
  const reader = createEntryReader();
  // One pipe's worth at a time (64 kB, under a millisecond): the event loop breathes in between.
  process.stdout.on('data', (chunk: Buffer) => {
    reader.add(chunk);
    if (reader.full) process.stop();
  });
  const { ending, stderr } = await process.ended;
  const { entries, unreadableNames } = reader;
  if (reader.full) return { entries, unreadableNames, cut: cutAt(entries.length) };
  switch (ending.kind) {
    case 'aborted':
      signal.throwIfAborted();
      throw new CausewayError('cancelled', 'The listing was ended because Causeway is stopping.');
    case 'stopped':
    case 'timeout':
      return { entries, unreadableNames, cut: `Listing took over ${TIMEOUT_MS / 1000} s: ${cutAt(entries.length)}` };
    case 'exited':
      break;
  }
  if (ending.code === 0) return { entries, unreadableNames, cut: '' };
  if (/maximum allowed tree depth/.test(stderr)) {
    return { entries, unreadableNames, cut: `Folders are nested too deeply: ${cutAt(entries.length)}` };
  }
  throw failed(`The files of commit ${sha} could not be listed.`, stderr);
}

function cutAt(count: number): string {
  return `Only the first ${count} entries are listed; there are more.`;
}

/** Parses `ls-tree -r -l -z`: `<mode> <type> <id> <size>\t<path>\0`, any byte but NUL in the path. */
function createEntryReader(): EntryReader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const entries: TreeEntry[] = [];
  let pending: Buffer[] = [];
  let bytes = 0;
  let unreadableNames = 0;
  let full = false;
  return {
    entries,
    get unreadableNames() {
      return unreadableNames;
    },
    get full() {
      return full;
    },
    add(chunk) {
      if (full) return;
      bytes += chunk.length;
      const end = chunk.lastIndexOf(0);
      pending.push(end === -1 ? chunk : chunk.subarray(0, end + 1));
      if (end !== -1) {
        const rows = rowsOf(decoder, Buffer.concat(pending));
        pending = [chunk.subarray(end + 1)];
        const found = rows.flatMap((row) => (row === null ? [] : entryOf(row)));
        unreadableNames += rows.length - found.length;
        const room = MAX_ENTRIES - entries.length;
        full = found.length > room;
        entries.push(...(full ? found.slice(0, room) : found));
      }
      full ||= bytes > MAX_BYTES;
    },
  };
}

/** Whole rows as text; null for one that is not UTF-8. */
function rowsOf(decoder: InstanceType<typeof TextDecoder>, output: Buffer): readonly (string | null)[] {
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

export function kindOf(mode: string): TreeEntry['kind'] {
  if (mode === '120000') return 'symlink';
  if (mode === '160000') return 'submodule';
  return mode === '100755' ? 'executable' : 'file';
}
