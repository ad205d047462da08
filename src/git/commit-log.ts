// The commits that lead to one, and what each says and touches: read by id, so that nobody reads one twice.
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Ancestors, CommitMessage } from '../core/source.ts';
import { failed } from './damage.ts';
import type { RepositoryAccess } from './repository.ts';

const ANCESTORS_MS = 15_000;
const MESSAGES_MS = 30_000;
/** A commit may touch every file there is: 5,000 ordinary ones print 2 to 5 MB. */
const MAX_OUTPUT = 256 * 1024 * 1024;
const MAX_LIMIT = 100_000;
const ID_BYTES = 65;
/** Of a message, in UTF-16 units; longer ones are logs. */
const MAX_MESSAGE = 64 * 1024;
const MAX_PATHS = 10_000;

type Access = Pick<RepositoryAccess, 'git' | 'mirror'>;

/** Ids of the commits that lead to `revision`, itself first, newest first, without merges. Throws `DamagedObjects` where they are missing. */
export async function readAncestors(
  { git, mirror }: Access,
  { revision, limit }: { readonly revision: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Ancestors> {
  const count = Math.min(MAX_LIMIT, Math.max(0, Math.trunc(limit)));
  const { ending, stdout, stderr } = await git.run({
    args: ['rev-list', '--no-merges', `--max-count=${count}`, '--end-of-options', revision, '--'],
    gitDir: mirror.gitDir,
    timeoutMs: ANCESTORS_MS,
    limitCpu: true,
    maxBytes: (count + 1) * ID_BYTES,
    signal,
  });
  if (ending.kind === 'exited' && ending.code !== 0) throw failed('History failed.', stderr);
  const ids = stdout
    .toString('latin1')
    .split('\n')
    .filter((id) => id.length === revision.length);
  const notes = [
    ending.kind === 'timeout' ? `Stopped after ${ANCESTORS_MS / 1000} s: older commits were not looked at.` : '',
    mirror.refs.shallow === '' ? '' : 'The clone is shallow: older history is not there.',
  ];
  return { ids, cut: notes.filter((note) => note !== '').join(' ') };
}

/** In the order of `ids`; ends early, without a word, where git takes longer than 30 s or fails: who asked counts what came. */
export async function* readMessages(
  { git, mirror }: Access,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly CommitMessage[], void, undefined> {
  const process = git.start({
    args: [
      ...[
        'log',
        '--no-walk=unsorted',
        '--stdin',
        '-z',
        '--name-only',
        '--no-renames',
        '--no-ext-diff',
        '--no-textconv',
      ],
      ...['--encoding=UTF-8', '--format=%x00%H%x00%B%x00'],
    ],
    gitDir: mirror.gitDir,
    timeoutMs: MESSAGES_MS,
    limitCpu: true,
    signal,
  });
  process.stdin.end(`${ids.join('\n')}\n`);
  const reader = createMessageReader();
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  try {
    for await (const chunk of process.stdout) {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT) return;
      const messages = reader.add(decoder.write(chunk));
      if (messages.length > 0) yield messages;
      await breathe();
    }
    const { ending } = await process.ended;
    signal.throwIfAborted();
    const last = ending.kind === 'exited' && ending.code === 0 ? reader.end() : null;
    if (last !== null) yield [last];
  } finally {
    process.stop();
  }
}

interface MessageReader {
  /** The commits that are known to be complete with this text. */
  add(text: string): readonly CommitMessage[];
  /** The last one, which nothing follows; null where there was none. */
  end(): CommitMessage | null;
}

interface Draft {
  sha: string;
  message: string;
  readonly paths: string[];
}

/**
 * Each commit is `NUL sha NUL message NUL`, a NUL of git's own, then its paths with a NUL after each, the first one behind an LF. Neither
 * messages nor paths hold a NUL and no path is empty, so an empty field after the head of a commit is the beginning of the next.
 */
function createMessageReader(): MessageReader {
  let pending = '';
  let draft: Draft | null = null;
  /** Fields since the commit began: 1 its sha, 2 its message, 3 the end of its head, from 4 on paths. */
  let field = 0;

  function take(value: string, complete: CommitMessage[]): void {
    const begins = value === '' && (draft === null || field > 3);
    if (begins && draft !== null) complete.push(draft);
    if (begins) draft = { sha: '', message: '', paths: [] };
    else if (draft !== null && value !== '') put(draft, field, value);
    field = begins ? 1 : field + 1;
  }

  return {
    add(text) {
      const complete: CommitMessage[] = [];
      const fields = `${pending}${text}`.split('\0');
      // What is cut here would be cut from the message anyway; a message of 100 MB would be copied for every chunk of it.
      pending = (fields.pop() ?? '').slice(0, MAX_MESSAGE);
      for (const value of fields) take(value, complete);
      return complete;
    },
    end: () => (draft !== null && field > 2 ? draft : null),
  };
}

function put(draft: Draft, field: number, value: string): void {
  if (field === 1) draft.sha = value;
  else if (field === 2) draft.message = value.slice(0, MAX_MESSAGE);
  else if (draft.paths.length < MAX_PATHS) draft.paths.push(field === 4 ? value.slice(1) : value);
}
