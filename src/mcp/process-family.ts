// The programs that we started and what they started: none outlives us (npx alone would leave the server behind).
import { readdirSync, readFileSync } from 'node:fs';

/** A process by id and start: an id alone is given to another process once this one is gone. */
type Identity = string;

export interface Family {
  /** Remembers the present descendants. */
  readonly note: () => void;
  /** Ends at once all that is left of them. */
  readonly kill: () => void;
}

/** Where the system shows no processes as files (not Linux), the program itself is all that is known. */
export function familyOf(pid: number): Family {
  const members = new Map<Identity, number>();
  const note = (): void => {
    const present = [...members].filter(([id, member]) => identityOf(member) === id).map(([, member]) => member);
    for (const [id, member] of withDescendants(present)) members.set(id, member);
  };
  const kill = (): void => {
    note();
    for (const [id, member] of members) if (identityOf(member) === id) killQuietly(member);
    members.clear();
  };
  const id = identityOf(pid);
  if (id !== null) members.set(id, pid);
  return { note, kill };
}

function withDescendants(roots: readonly number[]): ReadonlyMap<Identity, number> {
  const found = new Map<Identity, number>();
  const waiting = [...roots];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const id = identityOf(pid);
    if (id === null || found.has(id)) continue;
    found.set(id, pid);
    waiting.push(...childrenOf(pid));
  }
  return found;
}

function childrenOf(pid: number): readonly number[] {
  const ids = quietly(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return ids.flatMap((id) => {
    const children = quietly(() => readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8')) ?? '';
    return children.split(' ').filter(Boolean).map(Number);
  });
}

/** Null: there is no such process any more. */
function identityOf(pid: number): Identity | null {
  if (process.platform !== 'linux') return quietly(() => process.kill(pid, 0)) ? `${pid}` : null;
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // After the name, which may hold anything in brackets: state is the first field, the start the twentieth.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields ? `${pid}@${fields[19]}` : null;
}

function killQuietly(pid: number): void {
  quietly(() => process.kill(pid, 'SIGKILL'));
}

function quietly<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
