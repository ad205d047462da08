// What the jobs of a half ran on, as git prints it when they check out their commit, and what lies between the bases of both halves. Pure.

/** Of a pull request a job runs on a merge commit, which GitHub does not keep. `base`: "" where it is no merge. */
export interface CheckedOut {
  readonly head: string;
  readonly base: string;
}

/** Logs that are read to see whether a passing check has run our tests. */
export const MOST_LOGS = 8;

const STEP = '##[group]Run ';
const MERGED = /^HEAD is now at [0-9a-f]{7,64} Merge ([0-9a-f]{40,64}) into ([0-9a-f]{40,64})$/;
const COMMAND = '[command]';
const ASKS = / log -1 --format='?%H'?$/;
const COMMIT = /^'?([0-9a-f]{40,64})'?$/;
/** What follows where a long log is cut may be by a test. */
const CUT = /^(?:… \d+ lines? cut |\[The first \d+ bytes of this log were left out\])/;

/** Null: no line says it. Only what the first step prints that checks out is believed, since after it code of the commit may print. */
export function findCheckedOut(log: string): CheckedOut | null {
  const lines = takeCheckout(log);
  for (const line of lines) {
    const [, head, base] = MERGED.exec(line) ?? [];
    if (head !== undefined && base !== undefined) return { head, base };
  }
  const asked = lines.findIndex((line) => line.startsWith(COMMAND) && ASKS.test(line));
  const [, plain] = COMMIT.exec(asked === -1 ? '' : (lines[asked + 1] ?? '')) ?? [];
  return plain === undefined ? null : { head: plain, base: '' };
}

/** From the first step that checks out to the first that does anything else. */
function takeCheckout(log: string): readonly string[] {
  const taken: string[] = [];
  let isWithin = false;
  for (const whole of log.split('\n')) {
    if (CUT.test(whole)) break;
    const line = removeTime(whole);
    const isStep = line.startsWith(STEP);
    if (isStep && isWithin && !isCheckout(line)) break;
    isWithin ||= isStep && isCheckout(line);
    if (isWithin) taken.push(line);
  }
  return taken;
}

/** `actions/checkout`, or an action around it. A command has a space, or no version. */
function isCheckout(line: string): boolean {
  const used = line.slice(STEP.length);
  return !used.includes(' ') && used.includes('@') && used.toLowerCase().includes('checkout');
}

/** As GitHub writes it before each line. */
function removeTime(line: string): string {
  const end = line.indexOf('Z ');
  const isTime = end >= 19 && end < 40 && line[10] === 'T';
  return (isTime ? line.slice(end + 2) : line).trimEnd();
}

/** What all of them ran on besides the head, by their logs; "": one that was read doesn't say it, or they differ, or it is another head. */
export function findOneBase(checks: readonly { readonly checkedOut: CheckedOut | null }[], of: CheckedOut): string {
  const silent = checks.filter(({ checkedOut }) => checkedOut === null).length;
  if (silent > Math.max(0, checks.length - MOST_LOGS)) return '';
  const bases = checks.flatMap(({ checkedOut }) => (checkedOut === null ? [] : findBaseOf(checkedOut, of)));
  const [first = ''] = bases;
  return bases.every((base) => base === first) ? first : '';
}

/** What is not merged with anything has the base that the pull request left. */
function findBaseOf(checkedOut: CheckedOut, { head, base }: CheckedOut): string {
  if (checkedOut.head !== head) return '';
  return checkedOut.base === '' ? base : checkedOut.base;
}

/** GitHub compares no more files at once. */
const MOST_COMPARED = 300;

/**
 * Paths that differ between two bases, from GitHub's comparisons of them in both directions, each of which lists what the second has and the first
 * lacks. Null: unknown, because neither contains the other, such as after a force push, or there is more than GitHub compares.
 */
export function listMovedPaths({
  forward,
  backward,
}: {
  readonly forward: readonly string[];
  readonly backward: readonly string[];
}): readonly string[] | null {
  return backward.length > 0 || forward.length === 0 || forward.length >= MOST_COMPARED ? null : forward;
}
