// The contents of many blobs, in order, through one git process that is read no faster than its reader takes them.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CausewayError } from '../core/errors.ts';
import type { BlobContent } from '../core/source.ts';
import { MissingObject, withRenewal } from './damage.ts';
import { MAX_BLOB_BYTES } from './read-text.ts';
import type { RepositoryAccess } from './repository.ts';

/** The reader's own work counts too: the first digest of a large repository on a busy machine. */
const TIMEOUT_MS = 30 * 60_000;
const IDS_AT_ONCE = 500;
const LF = 10;
/** So many, as after a push, are asked of the process that reads single files: to start another takes longer. */
const FEW = 20;

/**
 * Blobs that git has not got (a partial clone) and those beyond 5 MiB are left out. Where the mirror was evicted it is made anew, and of few
 * blobs also where the process that reads them ended over a damaged object, be it another's. Throws the signal's reason when aborted, and
 * `absent` where git gives up all the same: what came before holds.
 */
export function readBlobs(
  access: RepositoryAccess,
  blobs: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly BlobContent[], void, undefined> {
  return blobs.length <= FEW ? readFew(access, blobs, signal) : readMany(access, blobs, signal);
}

async function* readFew(
  access: RepositoryAccess,
  blobs: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly BlobContent[], void, undefined> {
  for (const blob of blobs) {
    const content = await withRenewal(access, signal, () => readOne(access, blob, signal));
    if (content !== null) yield [{ blob, bytes: content }];
  }
}

/** Null for one that is missing or too large. Throws `DamagedObjects`. */
async function readOne({ objects }: RepositoryAccess, blob: string, signal: AbortSignal): Promise<Buffer | null> {
  try {
    const { size } = await objects.about(blob, signal);
    return size > MAX_BLOB_BYTES ? null : await objects.read(blob, signal);
  } catch (error) {
    if (error instanceof MissingObject) return null;
    throw error;
  }
}

async function* readMany(
  access: RepositoryAccess,
  blobs: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly BlobContent[], void, undefined> {
  // Buffered: a write of its own for each small file doubles the time.
  const args = ['cat-file', '--batch', '--buffer'];
  const call = { args, gitDir: access.mirror.gitDir, timeoutMs: TIMEOUT_MS, signal };
  const process = await withRenewal(access, signal, async () => access.git.start(call));
  // Git may end before it has read everything: `ended` tells.
  pipeline(Readable.from(requests(blobs)), process.stdin).catch(() => undefined);
  const answers = createAnswerReader();
  try {
    for await (const chunk of process.stdout) {
      const contents = answers.add(chunk);
      if (contents.length > 0) yield contents;
    }
    const { ending, stderr } = await process.ended;
    signal.throwIfAborted();
    if (ending.kind !== 'exited' || ending.code !== 0) throw endedEarly(ending.kind, stderr);
  } finally {
    process.stop();
  }
}

function* requests(blobs: readonly string[]): Generator<string> {
  for (let at = 0; at < blobs.length; at += IDS_AT_ONCE) yield `${blobs.slice(at, at + IDS_AT_ONCE).join('\n')}\n`;
}

function endedEarly(kind: string, stderr: string): CausewayError {
  return new CausewayError(
    'absent',
    `Git ended (${kind}) before every file was read. "git fsck" in the repository says whether it is damaged. ${stderr}`,
  );
}

interface AnswerReader {
  /** The contents that are complete with this chunk. */
  add(chunk: Buffer): readonly BlobContent[];
}

/** Of a content that comes in several chunks: where it is gathered. `bytes` is null for one that is too large to keep. */
interface Gathering {
  readonly blob: string;
  readonly size: number;
  readonly bytes: Buffer | null;
  filled: number;
}

/** Parses `<id> <type> <size>\n<content>\n` and `<id> missing\n`, cut into chunks anywhere. */
function createAnswerReader(): AnswerReader {
  let header = '';
  let open: Gathering | null = null;

  /** Where the next answer begins; the LF after a content is an empty header, which says nothing. */
  function takeHeader(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(LF, at);
    header += chunk.toString('latin1', at, end === -1 ? chunk.length : end);
    if (end === -1) return chunk.length;
    const [blob = '', , size] = header.split(' ');
    header = '';
    if (size !== undefined) open = gatheringOf(blob, Number(size), chunk.length - end - 1);
    return end + 1;
  }

  return {
    add(chunk) {
      const complete: BlobContent[] = [];
      let at = 0;
      while (at < chunk.length || open?.size === 0) {
        if (open === null) {
          at = takeHeader(chunk, at);
          continue;
        }
        const part = chunk.subarray(at, at + open.size - open.filled);
        at += part.length;
        const content = gather(open, part);
        if (open.filled < open.size) break;
        if (content !== null) complete.push({ blob: open.blob, bytes: content });
        open = null;
      }
      return complete;
    },
  };
}

/** One that is in the chunk already as a whole needs no room of its own. */
function gatheringOf(blob: string, size: number, here: number): Gathering {
  const needsRoom = size > here && size <= MAX_BLOB_BYTES;
  return { blob, size, bytes: needsRoom ? Buffer.allocUnsafe(size) : null, filled: 0 };
}

/** The bytes so far; null where they are not kept. */
function gather(open: Gathering, part: Buffer): Buffer | null {
  const isWhole = open.filled === 0 && part.length === open.size;
  open.bytes?.set(part, open.filled);
  open.filled += part.length;
  return isWhole && open.size <= MAX_BLOB_BYTES ? part : open.bytes;
}
