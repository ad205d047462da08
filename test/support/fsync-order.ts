// Whether a 202 left before the disk had what it acknowledges, read from a trace of the service's system calls.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** `strace` of every thread into `file`; the service stays the child of whoever starts it. */
export function tracer(file: string): readonly string[] {
  const calls = 'fsync,fdatasync,write,writev,pwrite64,sendto,sendmsg';
  return ['strace', '-D', '-f', '-y', '-s', '6000', '-e', `trace=${calls}`, '-o', file];
}

const EATMYDATA = ['/usr/lib/x86_64-linux-gnu/libeatmydata.so', '/usr/lib/aarch64-linux-gnu/libeatmydata.so'];

/** The library that makes fsync do nothing; undefined where it is not installed. */
export const eatMyData = EATMYDATA.find((file) => existsSync(file));

type Event =
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'synced' }
  | { readonly kind: 'answer'; readonly text: string };

export interface Order {
  readonly answers: number;
  /** Why a 202 was too early, one line each. */
  readonly early: readonly string[];
}

/** `names`: what the write-ahead log must hold, synced, before the 202 that names it leaves. Empty for answers that name nothing. */
export async function orderIn(file: string, names: readonly string[] = []): Promise<Order> {
  const lines = (await readFile(file, 'latin1')).split('\n');
  const cut = new Map<string, string>();
  const events = lines.flatMap((line) => eventOf(whole(line, cut)));
  const answers = events.flatMap((event, at) => (event.kind === 'answer' ? [at] : []));
  return {
    answers: answers.length,
    early: [
      ...answers.flatMap((at) => (isAllSynced(events.slice(0, at)) ? [] : [`answer ${at}: the log was not synced`])),
      ...names.flatMap((name) => whyEarly(events, name)),
    ],
  };
}

/** A call that another thread's line cut in two, at its end. `cut`: the beginnings so far, by thread. */
function whole(line: string, cut: Map<string, string>): string {
  const [thread = ''] = line.split(' ', 1);
  const begun = / (f(?:data)?sync\(.*) <unfinished \.\.\.>$/.exec(line)?.[1];
  if (begun !== undefined) cut.set(thread, begun);
  return line.replace(/<\.\.\. f(?:data)?sync resumed>/, () => cut.get(thread) ?? '');
}

function eventOf(line: string): readonly Event[] {
  if (/ f(data)?sync\(\d+<[^>]*causeway\.db-wal>\) += 0/.test(line)) return [{ kind: 'synced' }];
  if (/ pwrite64\(\d+<[^>]*causeway\.db-wal>/.test(line)) return [{ kind: 'log', text: line }];
  if (/ (write|writev|sendto|sendmsg)\(\d+<(socket|TCP)[^"]*"HTTP\/1\.1 202/.test(line))
    return [{ kind: 'answer', text: line }];
  return [];
}

function isAllSynced(before: readonly Event[]): boolean {
  return before.findLastIndex(({ kind }) => kind === 'log') < before.findLastIndex(({ kind }) => kind === 'synced');
}

function whyEarly(events: readonly Event[], name: string): readonly string[] {
  const holds = (kind: 'log' | 'answer') =>
    events.findIndex((event) => event.kind === kind && event.text.includes(name));
  const [written, answered] = [holds('log'), holds('answer')];
  if (written === -1 || answered === -1) return [`${name}: written ${written}, answered ${answered}`];
  const synced = events.findIndex(({ kind }, at) => kind === 'synced' && at > written);
  return synced !== -1 && synced < answered
    ? []
    : [`${name}: written ${written}, synced ${synced}, answered ${answered}`];
}
