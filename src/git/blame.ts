// Who last changed each line, as far as git found out in time.
import { withoutUnseen } from '../core/inert-text.ts';
import type { BlameLine, LineRange } from '../core/source.ts';
import { isoDate } from './commit-info.ts';
import { failed } from './damage.ts';
import type { RepositoryAccess } from './repository.ts';

const TIMEOUT_MS = 15_000;
const ENTRY = /^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/;

/** Blames existing lines of a text file. When time runs out, the lines known by then. */
export async function blameLines(
  access: RepositoryAccess,
  at: { readonly revision: string; readonly path: string; readonly range: LineRange },
  signal: AbortSignal,
): Promise<readonly BlameLine[]> {
  const { ending, stdout, stderr } = await access.git.run({
    // Incremental output is usable however early it ends.
    args: ['blame', '--incremental', '-L', `${at.range.from},${at.range.to}`, at.revision, '--', at.path],
    gitDir: access.mirror.gitDir,
    timeoutMs: TIMEOUT_MS,
    limitCpu: true,
    maxBytes: 32 * 1024 * 1024,
    signal,
  });
  if (ending.kind === 'exited' && ending.code !== 0) throw failed('Blame failed.', stderr);
  return parseIncremental(stdout.toString('utf8'));
}

/** `git blame --incremental`: per entry `<id> <old line> <line> <count>`, what is new about its commit, and `filename` last. */
function parseIncremental(text: string): readonly BlameLine[] {
  const commits = new Map<string, Blamed>();
  const lines: BlameLine[] = [];
  let rows: string[] = [];
  for (const row of text.split('\n')) {
    rows.push(row);
    if (!row.startsWith('filename ')) continue;
    lines.push(...linesOfEntry(commits, rows));
    rows = [];
  }
  return lines.sort((a, b) => a.line - b.line);
}

type Blamed = Omit<BlameLine, 'line'>;

function linesOfEntry(commits: Map<string, Blamed>, rows: readonly string[]): readonly BlameLine[] {
  const [, sha = '', first = '', count = ''] = ENTRY.exec(rows[0] ?? '') ?? [];
  const commit = commits.get(sha) ?? commitOf(sha, rows);
  commits.set(sha, commit);
  return Array.from({ length: Number(count) }, (_, index) => ({ ...commit, line: Number(first) + index }));
}

function commitOf(sha: string, rows: readonly string[]): Blamed {
  const about = (key: string) => rows.find((row) => row.startsWith(`${key} `))?.slice(key.length + 1) ?? '';
  return {
    sha,
    author: withoutUnseen(about('author')),
    date: isoDate(about('committer-time')),
    subject: withoutUnseen(about('summary')),
    oldest: rows.includes('boundary'),
  };
}
